import { expect } from 'chai'
import { ESLint } from 'eslint'
import tseslint from 'typescript-eslint'

const RULE = '@typescript-eslint/no-restricted-imports'

/** Type-aware rules need files of the project; the fences do not, so they can be tried on text alone. */
const eslint = new ESLint({ overrideConfig: tseslint.configs.disableTypeChecked as never })

async function isRefused(filePath: string, statement: string): Promise<boolean> {
  const [result] = await eslint.lintText(`${statement}\n`, { filePath })
  return result!.messages.some(({ ruleId, fatal }) => fatal === true || ruleId === RULE)
}

/** docs/architecture.md, arrows: what each room may import. */
const MAY_IMPORT: Record<string, string[]> = {
  domain: [],
  db: ['domain'],
  presenters: ['domain'],
  workflows: ['domain'],
  activities: ['domain', 'db'],
  relay: ['domain', 'db'],
  operations: ['domain', 'db', 'presenters'],
  api: ['operations', 'domain', 'presenters', 'db'],
}

describe('the fences between the rooms', () => {
  for (const [room, allowed] of Object.entries(MAY_IMPORT)) {
    for (const other of Object.keys(MAY_IMPORT).filter((name) => name !== room)) {
      const verdict = allowed.includes(other) ? 'may' : 'may not'
      it(`${room} ${verdict} import ${other}`, async () => {
        const refused = await isRefused(`src/${room}/x.ts`, `import { y } from '../${other}/y.js'`)
        expect(refused).to.equal(!allowed.includes(other))
      })
    }
  }

  it('lets only authentication, relay and activities into db/system', async () => {
    const statement = "import { y } from '../../db/system/y.js'"
    expect(await isRefused('src/api/auth/authenticate.ts', statement)).to.equal(false)
    expect(await isRefused('src/api/middleware/other.ts', statement)).to.equal(true)
    expect(await isRefused('src/api/routes/other.ts', statement)).to.equal(true)
    expect(await isRefused('src/operations/x.ts', "import { y } from '../db/system/y.js'")).to.equal(true)
    expect(await isRefused('src/relay/x.ts', "import { y } from '../db/system/y.js'")).to.equal(false)
    expect(await isRefused('src/activities/x.ts', "import { y } from '../db/system/y.js'")).to.equal(false)
  })

  it('opens the contract of the workflows, and nothing else of them, to relay, operations and activities', async () => {
    for (const room of ['relay', 'operations', 'activities']) {
      expect(await isRefused(`src/${room}/x.ts`, "import { y } from '../workflows/contract.js'")).to.equal(
        false,
      )
      expect(await isRefused(`src/${room}/x.ts`, "import { y } from '../workflows/attempt.js'")).to.equal(
        true,
      )
    }
  })

  it('keeps input and output out of domain and workflows', async () => {
    for (const name of ['node:fs', 'knex', 'undici', 'koa']) {
      expect(await isRefused('src/domain/x.ts', `import y from '${name}'`), name).to.equal(true)
      expect(await isRefused('src/workflows/x.ts', `import y from '${name}'`), name).to.equal(true)
    }
    expect(await isRefused('src/domain/x.ts', "import { createHash } from 'node:crypto'")).to.equal(false)
    expect(await isRefused('src/workflows/x.ts', "import { createHash } from 'node:crypto'")).to.equal(true)
  })

  it('hands deps in as arguments: rooms import their types only', async () => {
    expect(await isRefused('src/operations/x.ts', "import type { Deps } from '../deps.js'")).to.equal(false)
    expect(await isRefused('src/operations/x.ts', "import { buildDeps } from '../deps.js'")).to.equal(true)
    expect(await isRefused('src/domain/x.ts', "import type { Deps } from '../deps.js'")).to.equal(true)
  })

  it('reads the environment in src/config/index.ts alone', async () => {
    const statement = 'export const value = process.env'
    const [elsewhere] = await eslint.lintText(`${statement}\n`, { filePath: 'src/worker.ts' })
    const [config] = await eslint.lintText(`${statement}\n`, { filePath: 'src/config/index.ts' })
    const rules = (result: ESLint.LintResult) => result.messages.map(({ ruleId }) => ruleId)
    expect(rules(elsewhere!)).to.include('no-restricted-syntax')
    expect(rules(config!)).to.not.include('no-restricted-syntax')
  })

  it('loads the worker SDK of Temporal in the worker alone', async () => {
    const load = "import { Worker } from '@temporalio/worker'"
    expect(await isRefused('src/process/temporal/client.ts', load)).to.equal(true)
    expect(await isRefused('src/process/temporal/worker.ts', load)).to.equal(false)
    expect(await isRefused('src/process/temporal/client.ts', load.replace('import', 'import type'))).to.equal(false)
  })
})
