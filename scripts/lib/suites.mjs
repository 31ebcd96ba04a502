import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { ROOT } from './paths.mjs'

/**
 * A set of test files that run in one mocha.
 *
 * @typedef {{ name: string, files: string[], jobs: number, env?: Record<string, string> }} Suite files relative to the
 *   checkout; jobs: files that run side by side, each in a process of its own; env: what only this suite gets
 */

/** The tests that need neither a database nor Temporal; every other suite gets both. */
const WITHOUT_SERVERS = [
  /^test\/(config|domain|presenters|scripts|sending|soak|web)\//,
  /^test\/[^/]*(fences|docs)[^/]*$/,
  /^test\/docs\//,
]

/**
 * The suites that take minutes, in the order in which they begin. Those that compute most come first, so that the last ones,
 * which compare times, run beside little else.
 */
const LONG = ['e2e', 'faults', 'browser', 'hostile', 'http', 'drills']

/**
 * Where everything runs, all that is in none of these lists shares one mocha: what the files import is compiled once, and
 * their stacks are started once.
 */
const SHORT = 'the short suites'

/**
 * All other suites run one after the other beside the long ones, from the beginning, and use what those leave of the cores.
 * First comes the soak, which mostly waits: it sends two requests a second for two minutes. Where one kind is done, its
 * place in the run helps with the other.
 */
const BESIDE_FIRST = ['soak', SHORT, 'scripts', 'upgrade']

/** @param {Suite} suite @returns {string} what a run calls it */
export const titleOf = ({ name }) => (name === SHORT ? name : `test/${name}`)

/** @param {Suite} suite @returns {boolean} whether the suite takes no place of a long one */
export const isBeside = ({ name }) => !LONG.includes(name.replace(/, direct$/, ''))

/** @param {Suite} suite @returns {boolean} whether the suite drives a browser */
export const needsBrowser = ({ name }) => name === 'browser'

/**
 * What runs only when it is named: it compares times so small that a machine which runs other suites at the same time cannot
 * tell them apart.
 */
const ONLY_NAMED = /^test\/measured\//

/** Tests that mostly wait, for a lease to run out or a lost part to come back. */
const FILES_SIDE_BY_SIDE = new Map([
  ['faults', 4],
  ['drills', 2],
])

/** With this variable workers make first attempts themselves in all stacks that do not say who makes them. */
const DIRECT = { TEST_FIRST_ATTEMPT: 'direct' }

/**
 * What runs once more with direct first attempts: the crashes and the races of a delivery. Left out are files that say
 * themselves who makes first attempts, and those in which no delivery is made.
 */
const DIRECT_TOO = [
  /^test\/faults\/(?!direct-|boot\.|crash-idempotency\.|temporal-)/,
  /^test\/e2e\/(delivery-races|failing-endpoint|manual-retry|neighbours|purge|retry-signal|test-event|webhook-life)\./,
]

/** @returns {Promise<string[]>} all test files, relative to the checkout, sorted */
export async function listTestFiles() {
  const entries = await readdir(path.join(ROOT, 'test'), { recursive: true })
  return entries
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => path.posix.join('test', file.split(path.sep).join('/')))
    .sort()
}

/**
 * Which databases the suites run on: the one that is found; MySQL alone, for suites that need a database; or both, if
 * MySQL can be had.
 *
 * @typedef {'found' | 'mysql' | 'both'} Databases
 * @type {ReadonlyMap<string, Databases>}
 */
const DATABASE_OPTIONS = new Map([
  ['--mysql', 'mysql'],
  ['--mysql-too', 'both'],
])

const DIRECT_OPTION = '--direct'

/**
 * Splits the command line: first the choice of databases and of who makes first attempts, in any order; then suites;
 * everything from the next option on is for mocha.
 *
 * @param {readonly string[]} args
 * @returns {{ databases: Databases, isDirect: boolean, wanted: string[], mochaArgs: string[] }}
 */
export function parseTestArgs([...args]) {
  /** @type {Databases} */
  let databases = 'found'
  let isDirect = false
  for (;;) {
    const chosen = DATABASE_OPTIONS.get(args[0] ?? '')
    if (chosen) databases = chosen
    else if (args[0] === DIRECT_OPTION) isDirect = true
    else break
    args.shift()
  }
  const firstOption = args.findIndex((arg) => arg.startsWith('-'))
  const end = firstOption === -1 ? args.length : firstOption
  return { databases, isDirect, wanted: args.slice(0, end), mochaArgs: args.slice(end) }
}

/**
 * Chooses the files of the wanted suites. A name is a folder under test/ if there is one, else any part of a path.
 *
 * @param {readonly string[]} files all test files
 * @param {readonly string[]} wanted none means all that need not be named
 * @returns {Suite[]} those that take long first: one for each folder under test/, and one for the loose files; without
 *   wanted names the short ones are one
 * @throws {Error} when a name matches nothing
 */
export function chooseSuites(files, wanted) {
  const chosen =
    wanted.length === 0
      ? files.filter((file) => !ONLY_NAMED.test(file))
      : wanted.flatMap((name) => matching(files, name))
  const nameOf = wanted.length === 0 ? suiteOrShort : suiteOf
  /** @type {Map<string, Set<string>>} */
  const suites = new Map()
  for (const file of chosen) {
    const name = nameOf(file)
    suites.set(name, (suites.get(name) ?? new Set()).add(file))
  }
  const rank = (/** @type {string} */ name) => [...LONG, ...BESIDE_FIRST, name].indexOf(name)
  return [...suites]
    .map(([name, members]) => {
      return { name, files: [...members].sort(), jobs: jobsOf(name, members.size) }
    })
    .sort((a, b) => rank(a.name) - rank(b.name))
}

/**
 * Chooses the suites that run with direct first attempts.
 *
 * @param {readonly string[]} files all test files
 * @param {readonly string[]} wanted as for chooseSuites; none means what .ci/run repeats with direct attempts
 * @returns {Suite[]}
 */
export function chooseDirectSuites(files, wanted) {
  const chosen =
    wanted.length === 0 ? files.filter((file) => DIRECT_TOO.some((pattern) => pattern.test(file))) : files
  return chooseSuites(chosen, wanted).map((suite) => ({
    ...suite,
    name: `${suite.name}, direct`,
    env: { ...suite.env, ...DIRECT },
  }))
}

/** @param {readonly Suite[]} suites @returns {boolean} whether any of them needs the database and Temporal */
export const needServers = (suites) =>
  suites.some(({ files }) => files.some((file) => !WITHOUT_SERVERS.some((pattern) => pattern.test(file))))

/** @param {string} name @param {number} files @returns {number} */
const jobsOf = (name, files) => Math.min(FILES_SIDE_BY_SIDE.get(name) ?? 1, files)

/** @param {string} file @returns {string} */
function suiteOrShort(file) {
  const name = suiteOf(file)
  return [...LONG, ...BESIDE_FIRST].includes(name) ? name : SHORT
}

/** @param {string} file @returns {string} */
const suiteOf = (file) => (file.split('/').length > 2 ? (file.split('/')[1] ?? '') : '*.test.ts')

/** @param {readonly string[]} files @param {string} name */
function matching(files, name) {
  const part = name.replace(/^test\//, '').replace(/\/$/, '')
  const inFolder = files.filter((file) => file.startsWith(`test/${part}/`))
  const found =
    inFolder.length > 0 ? inFolder : files.filter((file) => file.slice('test/'.length).includes(part))
  if (found.length > 0) return found
  const names = [...new Set(files.map(suiteOf))].join(', ')
  throw new Error(`No test file matches "${name}". Suites: ${names}; or name any part of a file under test/.`)
}
