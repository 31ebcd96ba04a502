import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import type { ESLint } from 'eslint'
import { ARROWS, roomOf } from '../../scripts/lib/arrows.mjs'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { eslint, isRefused, refusalsOf } from '../support/lint.ts'
import { words } from '../support/words.ts'

/** A file of a room, as deep in it as files are: rooms that are a file have only that one. */
const fileIn = (room: string): string => {
  if (room.endsWith('.ts')) return room
  return SINGLE_FILES.includes(room) ? `${room}.ts` : `${room}/deep/x.ts`
}

const SINGLE_FILES = ['workflows/contract', 'cli/schema']

/** The import of one file of src/ by another. */
function importOf(from: string, to: string, keyword = 'import'): string {
  const up = '../'.repeat(from.split('/').length - 1) || './'
  return `${keyword} { y } from '${up}${to}'`
}

describe('the fences between the rooms', () => {
  for (const room of Object.keys(ARROWS)) {
    it(`${room} may import what its arrows name, and nothing else`, async () => {
      const from = fileIn(room)
      const others = Object.keys(ARROWS).filter((name) => name !== room)
      const refusedWith = async (keyword: string) => {
        const statements = others.map((other) => importOf(from, fileIn(other), keyword))
        const refusals = await refusalsOf(`src/${from}`, statements)
        return others.filter((_, index) => refusals[index])
      }
      const mayNot = (...names: string[]) => !names.some((name) => ARROWS[room]!.includes(name))
      expect(await refusedWith('import')).to.deep.equal(others.filter((other) => mayNot(other)))
      const types = others.filter((other) => mayNot(other, `types of ${other}`))
      expect(await refusedWith('import type'), 'types').to.deep.equal(types)
    })
  }

  it('hold for re-exports, for imports at run time and for types inside types', async () => {
    for (const statement of [
      "export { y } from '../../db/x.ts'",
      "export * from '../../db/x.ts'",
      "export type { Y } from '../../db/x.ts'",
      "export const load = () => import('../../db/x.ts')",
      "export type Y = import('../../db/x.ts').Y",
      "import { type Y } from '../../db/x.ts'",
    ]) {
      expect(await isRefused('src/domain/deep/x.ts', statement), statement).to.equal(true)
    }
    expect(await isRefused('src/relay/x.ts', "import { type Attempt } from '../attempts/x.ts'")).to.equal(
      false,
    )
    expect(await isRefused('src/relay/x.ts', "import { type A, b } from '../attempts/x.ts'")).to.equal(true)
  })

  it('know a room for every file of src/', async () => {
    const files = execFileSync('git', ['ls-files', 'src'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
    expect(files).to.have.length.above(100)
    expect(files.filter((file) => roomOf(file.replace(/^src\//, '')) === undefined)).to.deep.equal([])
    expect(await isRefused('src/new-room/x.ts', "import { y } from '../domain/x.ts'")).to.equal(true)
  })

  it('keep input and output out of domain, presenters and workflows', async () => {
    for (const name of ['node:fs', 'knex', 'undici', 'koa']) {
      for (const room of ['domain', 'presenters', 'workflows']) {
        expect(await isRefused(`src/${room}/deep/x.ts`, `import y from '${name}'`), name).to.equal(true)
      }
    }
    expect(await isRefused('src/domain/x.ts', "import { createHash } from 'node:crypto'")).to.equal(false)
    expect(await isRefused('src/workflows/x.ts', "import { createHash } from 'node:crypto'")).to.equal(true)
  })

  it('read the environment in src/config/index.ts alone', async () => {
    const statement = 'export const value = process.env'
    const [elsewhere] = await eslint.lintText(`${statement}\n`, { filePath: 'src/worker.ts' })
    const [config] = await eslint.lintText(`${statement}\n`, { filePath: 'src/config/index.ts' })
    const rules = (result: ESLint.LintResult) => result.messages.map(({ ruleId }) => ruleId)
    expect(rules(elsewhere!)).to.include('no-restricted-syntax')
    expect(rules(config!)).to.not.include('no-restricted-syntax')
  })

  it('keep the console and the service apart: they share the wire only', async () => {
    const intoService = "import { y } from '../../src/domain/ids.ts'"
    expect(await isRefused('web/src/x.ts', intoService)).to.equal(true)
    expect(
      await isRefused('web/src/keys/x.tsx', "import type { Y } from '../../../src/domain/ids.ts'"),
    ).to.equal(true)
    expect(await isRefused('web/src/x.ts', "import { readFile } from 'node:fs/promises'")).to.equal(true)
    expect(await isRefused('web/src/keys/x.ts', "import { y } from '../common/y.ts'")).to.equal(false)
    expect(await isRefused('src/api/x.ts', "import { y } from '../../web/src/common/y.ts'")).to.equal(true)
  })

  it('keep what people read out of the components of the console: it stands in texts.ts', async () => {
    const readable = [
      '<p>Nothing yet</p>',
      '<p>{count} left</p>',
      "<p>{isOn ? 'on' : texts.off}</p>",
      '<Box label="prefix" />',
      '<Box aria-label={`Remove ${name}`} />',
      "<Box data={[{ value: '', label: 'any' }]} />",
      "note('Only admins may.')",
      "['Name', 'Scopes']",
      '`${name} queued`',
    ]
    const others = [
      '<p>{texts.empty}</p>',
      '<p className="quiet bold">{name}: <code>webhook-id</code></p>',
      '<p>{texts.left({ count })}</p>',
      "kind === 'Personal key'",
      "<Box variant={isOn ? 'filled' : 'default'} />",
      "new Error('The page has no root.')",
      '`/webhooks/${id}`',
    ]
    const statements = [...readable, ...others].map((text, index) => `export const x${index} = ${text}`)
    const refused = await refusalsOf('web/src/keys/x.tsx', statements)
    expect(refused).to.deep.equal([...readable.map(() => true), ...others.map(() => false)])
    expect(await isRefused('web/src/keys/texts.ts', statements[6]!)).to.equal(false)
  })

  it('load the worker SDK of Temporal in the worker alone', async () => {
    const load = "import { Worker } from '@temporalio/worker'"
    for (const file of words(
      'src/server.ts src/cli.ts src/process/temporal/client.ts src/process/run-process.ts',
    )) {
      expect(await isRefused(file, load), file).to.equal(true)
    }
    expect(await isRefused('src/process/temporal/worker.ts', load)).to.equal(false)
    expect(await isRefused('src/server.ts', load.replace('import', 'import type'))).to.equal(false)
  })
})
