import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { ROOT } from '../lib/paths.mjs'

/** What the runner has ready before a test that needs it begins. */
export type Part =
  | 'build'
  | 'database'
  | 'MySQL'
  | 'Temporal'
  | 'Temporal of today'
  | 'browser'
  | 'Prometheus'
  | 'Helm'

const WHOLE: readonly Part[] = ['build', 'database', 'Temporal']

/**
 * The folders of test/ and what their tests need. A whole run begins them in this order: the long ones come first, and the
 * short ones fill the gaps at the end.
 */
const SUITES: Readonly<Record<string, readonly Part[]>> = {
  system: WHOLE,
  faults: WHOLE,
  browser: [...WHOLE, 'browser'],
  drills: WHOLE,
  hostile: WHOLE,
  scripts: ['build'],
  db: ['database'],
  upgrade: WHOLE,
  deploy: [...WHOLE, 'Prometheus', 'Helm'],
  docs: [],
  unit: [],
}

/** The first line of a test file that runs in configuration B too begins like this, and goes on with the reason. */
const ALSO_IN_B = '// Also on MySQL with direct attempts: '

/** So begins the first line of one that runs in configuration B alone, unless it is named: much computing for few tests. */
const ONLY_IN_B = '// Only in .ci/run: '

/**
 * How everything can run. A is the database that is found first, mostly MariaDB, first attempts by workflows, and the Temporal that
 * `npm start` has. B is MySQL, direct first attempts, and Temporal's server of today; there, unless tests are named, only those files
 * run whose meaning depends on the database or on who makes first attempts, and those that are too long for every `npm test`.
 */
type Configuration = 'A' | 'B'

/** What B has in place of a part. */
const IN_B: Partial<Record<Part, Part>> = { database: 'MySQL', Temporal: 'Temporal of today' }

/** Test files that run in one mocha. `mark` tells its configuration behind the names of folders; `files` are relative to the checkout. */
export type Suite = {
  readonly title: string
  readonly mark: string
  readonly files: readonly string[]
  readonly parts: readonly Part[]
}

export type Options = {
  readonly configurations: readonly Configuration[]
  /** Folders of test/ or any parts of paths; none means everything. */
  readonly wanted: readonly string[]
  readonly mochaArgs: readonly string[]
  /** Whether the checks run besides the tests. */
  readonly hasChecks: boolean
}

/**
 * Splits the command line: `--b` (configuration B alone) or `--both`, then names; everything from the next option on is for mocha.
 *
 * @param args for example `['--b', 'faults', '--grep', 'lease']`
 */
export function parseOptions(args: readonly string[]): Options {
  const choices: Record<string, readonly Configuration[]> = { '--b': ['B'], '--both': ['A', 'B'] }
  const chosen = choices[args[0] ?? '']
  const configurations = chosen ?? ['A']
  const rest = args.slice(chosen === undefined ? 0 : 1)
  const firstOption = rest.findIndex((arg) => arg.startsWith('-'))
  const wanted = firstOption === -1 ? rest : rest.slice(0, firstOption)
  const hasChecks = wanted.length === 0 && configurations.includes('A')
  return { configurations, wanted, mochaArgs: rest.slice(wanted.length), hasChecks }
}

/**
 * Chooses what runs: a suite for each configuration, its files in the order in which they begin.
 *
 * @throws Error when a name matches nothing, or a folder is in no list
 */
export async function chooseSuites(options: Pick<Options, 'configurations' | 'wanted'>): Promise<Suite[]> {
  const { configurations, wanted } = options
  const all = await listTestFiles()
  const unknown = all.find((file) => !(folderOf(file) in SUITES))
  if (unknown !== undefined) throw new Error(`scripts/test/suites.ts does not know the folder of ${unknown}.`)
  const named = new Set(wanted.flatMap((name) => matching(all, name)))
  const isAll = wanted.length === 0
  const chosen = all.filter((file) => isAll || named.has(file))
  return configurations.flatMap((configuration) => {
    const isB = configuration === 'B'
    const files = isAll ? chosen.filter(isB ? isInB : isInA) : chosen
    const folders = Object.entries(SUITES).map(([folder, needs]) => ({
      needs: needs.map((part) => (isB ? (IN_B[part] ?? part) : part)),
      files: files.filter((file) => folderOf(file) === folder),
    }))
    const wantedFolders = folders.filter((folder) => folder.files.length > 0)
    const suite: Suite = {
      title: isB ? 'tests in B' : 'tests',
      mark: isB ? ' in B' : '',
      parts: [...new Set(wantedFolders.flatMap(({ needs }) => needs))],
      files: wantedFolders.flatMap((folder) => folder.files),
    }
    return suite.files.length > 0 ? [suite] : []
  })
}

const begins = (file: string, head: string): boolean =>
  readFileSync(path.join(ROOT, file), 'utf8').startsWith(head)
const isInA = (file: string): boolean => !begins(file, ONLY_IN_B)
const isInB = (file: string): boolean => begins(file, ALSO_IN_B) || begins(file, ONLY_IN_B)

const folderOf = (file: string): string => file.split('/')[1]!

/** @returns all test files, relative to the checkout, sorted */
export async function listTestFiles(): Promise<string[]> {
  const entries = await readdir(path.join(ROOT, 'test'), { recursive: true })
  const files = entries.filter((file) => file.endsWith('.test.ts'))
  return files.map((file) => path.posix.join('test', file.split(path.sep).join('/'))).sort()
}

/** A name is a folder under test/ if there is one, else any part of a path. */
function matching(files: readonly string[], name: string): readonly string[] {
  const part = name.replace(/^test\//, '').replace(/\/$/, '')
  const inFolder = files.filter((file) => file.startsWith(`test/${part}/`))
  if (inFolder.length > 0) return inFolder
  const found = files.filter((file) => file.slice('test/'.length).includes(part))
  if (found.length > 0) return found
  const folders = Object.keys(SUITES).join(', ')
  throw new Error(`No test file matches "${name}". Suites: ${folders}; or name any part of a path.`)
}
