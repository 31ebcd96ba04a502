import { execFileSync } from 'node:child_process'
import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import ts from 'typescript'
import { ARROWS, roomOf } from '../../lint/arrows.mjs'
import { run } from '../../scripts/lib/commands.ts'
import { packageBin, ROOT } from '../../scripts/lib/paths.mjs'
import { EXCEPTIONS } from '../../lint/tenant-exceptions.mjs'
import { useTemporaryDirectory } from '../support/temporary-directory.ts'
import { words } from '../support/words.ts'

/** A file of the checkout: its path and its text. */
type Sample = readonly [file: string, text: string]

/** Code that a fence refuses, and code that it allows as an exception. */
type Fence = { readonly refused: readonly Sample[]; readonly allowed: readonly Sample[] }

const inFile = (file: string, ...texts: string[]): Sample[] => texts.map((text) => [file, text])
const inFiles = (files: string, text: string): Sample[] => words(files).map((file) => [file, text])

/** A sample file at the usual depth of a room. A room that is one file has only that file. */
const fileIn = (room: string): string => {
  if (room.endsWith('.ts')) return room
  return ['workflows/contract', 'cli/schema'].includes(room) ? `${room}.ts` : `${room}/deep/x.ts`
}

/** Every import between two rooms, of values and of types. */
function imports(): Fence {
  const refused: Sample[] = []
  const allowed: Sample[] = []
  for (const [room, arrows] of Object.entries(ARROWS))
    for (const to of Object.keys(ARROWS).filter((other) => other !== room))
      for (const keyword of ['import', 'import type']) {
        const up = '../'.repeat(fileIn(room).split('/').length - 1) || './'
        const isOfTypes = keyword === 'import type' && arrows.includes(`types of ${to}`)
        const samples = arrows.includes(to) || isOfTypes ? allowed : refused
        samples.push([`src/${fileIn(room)}`, `${keyword} { y } from '${up}${fileIn(to)}'`])
      }
  return { refused, allowed }
}

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
const unread = [
  '<p>{texts.empty}</p>',
  '<p className="quiet bold">{name}: <code>webhook-id</code></p>',
  '<p>{texts.left({ count })}</p>',
  "kind === 'Personal key'",
  "<Box variant={isOn ? 'filled' : 'default'} />",
  "new Error('The page has no root.')",
  '`/webhooks/${id}`',
]
const shown = (code: string): Sample => ['web/src/keys/x.tsx', `export const x = ${code}`]

const WITHOUT_IO = 'src/domain/deep/x.ts src/presenters/deep/x.ts src/workflows/deep/x.ts'
const WITHOUT_WORKER = 'src/server.ts src/cli.ts src/process/temporal/client.ts src/process/boot.ts'
const loadWorkerSdk = "import { Worker } from '@temporalio/worker'"
const connect = "import { connect } from '../db/connection/connection.ts'"
const query = (params: string) => `export async function listRows(${params}): Promise<void> {}`
const queries = (...params: string[]) => inFile('src/db/x.ts', ...params.map(query))

const FENCES: Readonly<Record<string, Fence>> = {
  'let a room import what its arrows name, and nothing else': imports(),
  'hold for re-exports, for imports at run time and for types inside types': {
    refused: [
      ...inFile(
        'src/domain/deep/x.ts',
        "export { y } from '../../db/x.ts'",
        "export * from '../../db/x.ts'",
        "export type { Y } from '../../db/x.ts'",
        "export const load = () => import('../../db/x.ts')",
        "export type Y = import('../../db/x.ts').Y",
        "import { type Y } from '../../db/x.ts'",
      ),
      ['src/relay/x.ts', "import { type A, b } from '../attempts/x.ts'"],
      ['src/new-room/x.ts', "import { y } from '../domain/x.ts'"],
    ],
    allowed: [['src/relay/x.ts', "import { type Attempt } from '../attempts/x.ts'"]],
  },
  'keep input and output out of domain, presenters and workflows': {
    refused: [
      ...words('node:fs node:fs/promises knex knex/lib undici koa').flatMap((name) =>
        inFiles(WITHOUT_IO, `import y from '${name}'`),
      ),
      ['src/workflows/x.ts', "import { createHash } from 'node:crypto'"],
    ],
    allowed: [['src/domain/x.ts', "import { createHash } from 'node:crypto'"]],
  },
  'let a form of the console have only fields that say what is wrong with them': {
    refused: [
      '<form />',
      '<Stack component="form" />',
      '<TextInput required />',
      '<Field type="date" />',
    ].map(shown),
    allowed: [shown('<TextField required type="email" />')],
  },
  'read the environment in src/config/index.ts alone': {
    refused: [['src/worker.ts', 'export const value = process.env']],
    allowed: [['src/config/index.ts', 'export const value = process.env']],
  },
  'keep the console and the service apart: they share the wire only': {
    refused: [
      ['web/src/x.ts', "import { y } from '../../src/domain/ids.ts'"],
      ['web/src/keys/x.tsx', "import type { Y } from '../../../src/domain/ids.ts'"],
      ['web/src/x.ts', "import { readFile } from 'node:fs/promises'"],
      ['src/api/x.ts', "import { y } from '../../web/src/common/y.ts'"],
    ],
    allowed: [['web/src/keys/x.ts', "import { y } from '../common/y.ts'"]],
  },
  'keep what people read out of the components of the console: it stands in texts.ts': {
    refused: readable.map(shown),
    allowed: [
      ...unread.map(shown),
      ['web/src/keys/texts.ts', "export const texts = { empty: 'Nothing yet' }"],
    ],
  },
  'load the worker SDK of Temporal in the worker alone': {
    refused: inFiles(WITHOUT_WORKER, loadWorkerSdk),
    allowed: [
      ['src/process/temporal/worker.ts', loadWorkerSdk],
      ['src/server.ts', loadWorkerSdk.replace('import', 'import type')],
    ],
  },
  'refuse a query that anybody who has a Db could ask about every company': {
    refused: [
      ...queries(...words('db:Db,limit:number trx:Knex.Transaction run:Run<Db> db,id:string {id}:Row,db:Db')),
      ...inFile(
        'src/db/x.ts',
        'export const count = (db: Db): number => 1',
        'export const all = { count: (db: Db) => 1 }',
        'const count = (db: Db) => 1; export { count }',
      ),
      // This query differs from those that this file excepts.
      ['src/db/clock.ts', query('db: Db')],
    ],
    allowed: queries(
      ...['db: Db, tenant: Tenant', 'db: Db, { companyId }: Page', 'db: Db, tenants: readonly Tenant[]'],
      "trx: Knex.Transaction, row: Pick<Row, 'id' | 'company_id'>",
      ...['db: SystemDb, limit: number', 'trx: Transaction<SystemDb>, run: Run<SystemDb>', 'text: string'],
    ),
  },
  'have no exception that is not needed any more': { refused: [['src/db/workers.ts', '']], allowed: [] },
  'let only the wiring make a SystemDb, and nobody turn a Db into one': {
    refused: [
      ['src/relay/x.ts', connect],
      ['src/api/x.ts', "import { buildDeps } from '../deps/deps.ts'"],
      ['src/operations/x.ts', 'export const wide = (db as SystemDb)'],
      ['src/operations/x.ts', "import { selectDeliveries } from '../db/delivery/deliveries.ts'"],
    ],
    allowed: [
      ['src/deps/deps.ts', connect],
      ['src/cli/run.ts', "import { buildDeps } from './deps/deps.ts'"],
    ],
  },
}

type Config = { jsPlugins: string[]; overrides: { files: string[]; excludeFiles?: string[] }[] }
type Diagnostic = { code?: string; message: string; filename: string }

const RULES = words(
  'house(fence) house(system-db) node(no-process-env) house(texts) house(forms) eslint(no-restricted-imports)',
)

/** The samples that the fences refuse. Each has its own directory, so that two may share a path. */
async function refusedOf(samples: readonly Sample[], dir: string): Promise<Sample[]> {
  const config = path.join(dir, 'oxlint.json')
  await writeFile(config, await configOfSamples())
  for (const [index, [file, text]] of samples.entries()) {
    const target = path.join(dir, String(index), file)
    await mkdir(path.dirname(target), { recursive: true })
    await writeFile(target, `${text}\n`)
  }
  const { output } = await run(packageBin('oxlint'), ['--format', 'json', '--config', config], { cwd: dir })
  const { diagnostics } = JSON.parse(output) as { diagnostics: Diagnostic[] }
  const unread = diagnostics.find(({ code }) => code === undefined)
  if (unread) throw new Error(`${unread.filename}: ${unread.message}`)
  const found = diagnostics.filter(({ code }) => RULES.includes(code ?? ''))
  const indexes = new Set(found.map(({ filename }) => Number(filename.split('/')[0])))
  return samples.filter((_, index) => indexes.has(index))
}

/** Our linter configuration for files one directory down, without the rules that need types. */
async function configOfSamples(): Promise<string> {
  const file = path.join(ROOT, '.oxlintrc.json')
  const { config } = ts.parseConfigFileTextToJson(file, await readFile(file, 'utf8')) as { config: Config }
  const below = (globs: string[] | undefined) => globs?.map((glob) => `*/${glob}`)
  const jsPlugins = config.jsPlugins.map((plugin) => path.join(ROOT, plugin))
  const overrides = config.overrides.map(({ files, excludeFiles, ...one }) => {
    return { ...one, files: below(files), excludeFiles: below(excludeFiles) }
  })
  return JSON.stringify({ ...config, options: { typeAware: false }, jsPlugins, overrides })
}

// decision: One linter
describe('the fences between the rooms, and around what spans tenants', () => {
  const dir = useTemporaryDirectory('all tests')
  let refused: ReadonlySet<Sample>
  before(async function () {
    this.timeout(60_000)
    // All at once, because starting the linter costs more than reading the files.
    const samples = Object.values(FENCES).flatMap((fence) => [...fence.refused, ...fence.allowed])
    refused = new Set(await refusedOf(samples, dir.path))
  })

  for (const [title, fence] of Object.entries(FENCES))
    it(title, () => {
      const all = [...fence.refused, ...fence.allowed]
      expect(all.filter((sample) => refused.has(sample))).to.deep.equal(fence.refused)
    })

  it('know a room for every file of src/, and the files of all exceptions', async () => {
    const files = execFileSync('git', ['ls-files', 'src'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
    expect(files).to.have.length.above(100)
    expect(files.filter((file) => roomOf(file.replace(/^src\//, '')) === undefined)).to.deep.equal([])
    for (const { file } of EXCEPTIONS) await access(path.join(ROOT, 'src/db', file))
  })
})
