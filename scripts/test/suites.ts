import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../lib/paths.mjs'
import type { Part } from './parts.ts'

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

/** How the first line of a test file begins that runs in configuration B too. The reason follows. */
const ALSO_IN_B = '// Also on MySQL with direct attempts: '

/** How it begins in a file that runs in configuration B alone, unless it is named, because it takes long for few tests. */
const ONLY_IN_B = '// Only in .ci/run: '

/**
 * The configurations in which tests run. A is the database that is found first, mostly MariaDB, first attempts by workflows, and
 * the Temporal that `npm start` has. B is MySQL, direct first attempts, and Temporal's server of today; there, unless tests are
 * named, only files run whose meaning depends on the database or on who makes first attempts, or which are too long for every
 * `npm test`.
 */
type Configuration = 'A' | 'B'

/** What B has in place of a part. */
const IN_B: Partial<Record<Part, Part>> = { database: 'MySQL', Temporal: 'Temporal of today' }

/** Tests of one configuration, which run in one mocha. `mark` names the configuration after the names of folders. */
export type Suite = ReturnType<typeof chooseSuites>[number]

/** Files of a folder of test/, relative to the checkout, in the order in which they begin. */
export type Folder = Suite['folders'][number]

/**
 * Splits the command line: `--b` (configuration B alone) or `--both`, then folders of test/ or any parts of paths, none for everything;
 * everything from the next option on is for mocha. The checks run besides everything.
 *
 * @param args for example `['--b', 'faults', '--grep', 'lease']`
 */
export function parseOptions(args: readonly string[]) {
  const choices: Record<string, readonly Configuration[]> = { '--b': ['B'], '--both': ['A', 'B'] }
  const chosen = choices[args[0] ?? '']
  const configurations = chosen ?? ['A']
  const rest = args.slice(chosen === undefined ? 0 : 1)
  const firstOption = rest.findIndex((arg) => arg.startsWith('-'))
  const wanted = firstOption === -1 ? rest : rest.slice(0, firstOption)
  const hasChecks = wanted.length === 0 && configurations.includes('A')
  return { configurations, wanted, mochaArgs: rest.slice(wanted.length), hasChecks }
}

/** Chooses what runs: a suite for each configuration. @throws Error when a name matches nothing, or a folder is in no list */
export function chooseSuites({ configurations, wanted }: ReturnType<typeof parseOptions>) {
  const all = listTestFiles()
  const unknown = all.find((file) => !(path.basename(folderOf(file)) in SUITES))
  if (unknown !== undefined) throw new Error(`scripts/test/suites.ts does not know the folder of ${unknown}.`)
  const named = new Set(wanted.flatMap((name) => matching(all, name)))
  return configurations.flatMap((configuration) => {
    const isB = configuration === 'B'
    const chosen = all.filter((file) => (wanted.length > 0 ? named.has(file) : isIn(configuration, file)))
    const mark = isB ? ' in B' : ''
    const folders = Object.entries(SUITES).flatMap(([folder, needs]) => {
      const files = chosen.filter((file) => folderOf(file) === `test/${folder}`)
      const parts = needs.map((part) => (isB ? (IN_B[part] ?? part) : part))
      return files.length === 0 ? [] : [{ title: `test/${folder}${mark}`, parts, files }]
    })
    return folders.length === 0 ? [] : [{ title: `tests${mark}`, mark, folders }]
  })
}

function isIn(configuration: Configuration, file: string): boolean {
  const text = readFileSync(path.join(ROOT, file), 'utf8')
  const isOnlyInB = text.startsWith(ONLY_IN_B)
  return configuration === 'A' ? !isOnlyInB : isOnlyInB || text.startsWith(ALSO_IN_B)
}

/** @param file of a test, absolute or relative to the checkout @returns such as `test/db`; `test` for a file in none of its folders */
export function folderOf(file = ''): string {
  const [root, folder] = path.relative(ROOT, path.resolve(ROOT, file)).split(path.sep)
  return root === 'test' && folder !== undefined ? `test/${folder}` : 'test'
}

/** @returns all test files, relative to the checkout, sorted */
export const listTestFiles = (): string[] => globSync('test/**/*.test.ts', { cwd: ROOT }).sort()

/** A name is a folder under test/ if there is one, else any part of a path. */
function matching(files: readonly string[], name: string): readonly string[] {
  const part = name.replace(/^test\//, '').replace(/\/$/, '')
  const inFolder = files.filter((file) => file.startsWith(`test/${part}/`))
  const found = inFolder.length > 0 ? inFolder : files.filter((file) => file.includes(part, 'test/'.length))
  if (found.length > 0) return found
  const folders = Object.keys(SUITES).join(', ')
  throw new Error(`No test file matches "${name}". Suites: ${folders}; or name any part of a path.`)
}
