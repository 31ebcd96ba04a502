import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { ARROWS, roomOf } from '../../scripts/lib/arrows.mjs'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { refusedOf, type Sample } from '../support/lint.ts'
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
  // decision: One linter
  it('let a room import what its arrows name, and nothing else', async function () {
    this.timeout(30_000)
    const rooms = Object.keys(ARROWS)
    const pairs = rooms.flatMap((room) => rooms.filter((to) => to !== room).map((to) => [room, to] as const))
    const sample = (room: string, to: string, keyword: string): Sample => [
      `src/${fileIn(room)}`,
      importOf(fileIn(room), fileIn(to), keyword),
    ]
    const mayNot = (room: string, ...names: string[]) => !names.some((name) => ARROWS[room]!.includes(name))
    const samples = pairs.flatMap(([room, to]) =>
      ['import', 'import type'].map((keyword) => sample(room, to, keyword)),
    )
    const expected = pairs.flatMap(([room, to]) => [
      ...(mayNot(room, to) ? [sample(room, to, 'import')] : []),
      ...(mayNot(room, to, `types of ${to}`) ? [sample(room, to, 'import type')] : []),
    ])
    expect(await refusedOf(samples)).to.deep.equal(expected)
  })

  it('hold for re-exports, for imports at run time and for types inside types', async () => {
    const refused = [
      "export { y } from '../../db/x.ts'",
      "export * from '../../db/x.ts'",
      "export type { Y } from '../../db/x.ts'",
      "export const load = () => import('../../db/x.ts')",
      "export type Y = import('../../db/x.ts').Y",
      "import { type Y } from '../../db/x.ts'",
    ].map((statement): Sample => ['src/domain/deep/x.ts', statement])
    refused.push(['src/relay/x.ts', "import { type A, b } from '../attempts/x.ts'"])
    const allowed: Sample = ['src/relay/x.ts', "import { type Attempt } from '../attempts/x.ts'"]
    expect(await refusedOf([...refused, allowed])).to.deep.equal(refused)
  })

  it('know a room for every file of src/', async () => {
    const files = execFileSync('git', ['ls-files', 'src'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
    expect(files).to.have.length.above(100)
    expect(files.filter((file) => roomOf(file.replace(/^src\//, '')) === undefined)).to.deep.equal([])
    const unknown: Sample = ['src/new-room/x.ts', "import { y } from '../domain/x.ts'"]
    expect(await refusedOf([unknown])).to.deep.equal([unknown])
  })

  it('keep input and output out of domain, presenters and workflows', async () => {
    const refused = words('domain presenters workflows').flatMap((room) =>
      words('node:fs node:fs/promises knex knex/lib undici koa').map((name): Sample => [
        `src/${room}/deep/x.ts`,
        `import y from '${name}'`,
      ]),
    )
    refused.push(['src/workflows/x.ts', "import { createHash } from 'node:crypto'"])
    const allowed: Sample = ['src/domain/x.ts', "import { createHash } from 'node:crypto'"]
    expect(await refusedOf([...refused, allowed])).to.deep.equal(refused)
  })

  it('let a form of the console have only fields that say what is wrong with them', async () => {
    const refused = [
      '<form />',
      '<Stack component="form" />',
      '<TextInput required />',
      '<Field type="date" />',
    ]
    const samples = refused.map((tag): Sample => ['web/src/users/x.tsx', `export const x = ${tag}`])
    const allowed: Sample = ['web/src/users/x.tsx', 'export const x = <TextField required type="email" />']
    expect(await refusedOf([...samples, allowed])).to.deep.equal(samples)
  })

  it('read the environment in src/config/index.ts alone', async () => {
    const statement = 'export const value = process.env'
    const elsewhere: Sample = ['src/worker.ts', statement]
    expect(await refusedOf([elsewhere, ['src/config/index.ts', statement]])).to.deep.equal([elsewhere])
  })

  it('keep the console and the service apart: they share the wire only', async () => {
    const refused: Sample[] = [
      ['web/src/x.ts', "import { y } from '../../src/domain/ids.ts'"],
      ['web/src/keys/x.tsx', "import type { Y } from '../../../src/domain/ids.ts'"],
      ['web/src/x.ts', "import { readFile } from 'node:fs/promises'"],
      ['src/api/x.ts', "import { y } from '../../web/src/common/y.ts'"],
    ]
    const allowed: Sample = ['web/src/keys/x.ts', "import { y } from '../common/y.ts'"]
    expect(await refusedOf([...refused, allowed])).to.deep.equal(refused)
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
    const sampleOf = (text: string): Sample => ['web/src/keys/x.tsx', `export const x = ${text}`]
    const refused = readable.map(sampleOf)
    const texts: Sample = ['web/src/keys/texts.ts', "export const texts = { empty: 'Nothing yet' }"]
    expect(await refusedOf([...refused, ...others.map(sampleOf), texts])).to.deep.equal(refused)
  })

  it('load the worker SDK of Temporal in the worker alone', async () => {
    const load = "import { Worker } from '@temporalio/worker'"
    const refused = words(
      'src/server.ts src/cli.ts src/process/temporal/client.ts src/process/run-process.ts',
    ).map((file): Sample => [file, load])
    const allowed: Sample[] = [
      ['src/process/temporal/worker.ts', load],
      ['src/server.ts', load.replace('import', 'import type')],
    ]
    expect(await refusedOf([...refused, ...allowed])).to.deep.equal(refused)
  })
})
