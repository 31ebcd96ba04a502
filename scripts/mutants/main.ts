// Changes the rules in src, one spot at a time, and looks whether a test of test/unit notices: `npm run test:mutants [path…]`.
// Prints each change that no test notices, and a table of the folders.
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { run } from '../lib/commands.ts'
import { fetchOnce, installFromNpm, moveToPlace } from '../lib/fetch.ts'
import { createContext, type Way } from '../lib/find.ts'
import { cacheDir, DATA_DIR, ROOT } from '../lib/paths.mjs'
import { formatTable } from '../lib/progress.ts'

/** What is mutated without a path: the rules and the shapes of the product. The rest of src has tests that need servers. */
const RULES = ['src/domain', 'src/presenters', 'src/attempts/gate.ts', 'src/sending/address-guard.ts']

/** The tests of the rules. They need no server and must be fast: a mutant of a constant runs all tests that reach its file. */
const TESTS = [
  'test/unit/{domain,presenters,api/{auth,schemas}}/**/*.test.ts',
  'test/unit/attempts/gate.test.ts',
  'test/unit/sending/address-guard.test.ts',
]

/** Imports that are left once Node has stripped the types. */
const IMPORT = /^(?:import|export|\}) (?!type\b)(?:[^'\n]* )?from '(\.[^']+)'/gm

const OUTPUT_DIR = path.join(DATA_DIR, 'mutants')

const paths = process.argv.slice(2).map((name) => `src/${name.replace(/^src\//, '').replace(/\/$/, '')}`)
const unknown = paths.filter((file) => !existsSync(path.join(ROOT, file)))
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}. Name folders or files of src, such as domain/delivery.`)
  process.exit(1)
}

const packages = await installStryker()
const reached = new Map(globSync(TESTS, { cwd: ROOT }).map((test) => [test, reachedFrom(test)]))
const results: [name: string, statuses: string[]][] = []
for (const [folder, files] of filesByFolder(paths.length > 0 ? paths : RULES)) {
  const tests = [...reached.keys()]
    .filter((test) => files.some((file) => reached.get(test)?.has(file)))
    .sort()
  console.log(`\n${folder}: ${files.length} files, ${tests.length} files of tests`)
  results.push([folder, await runStryker(folder, files, tests)])
}
results.push(['all', results.flatMap(([, statuses]) => statuses)])
const head = ['folder', 'mutants', 'killed', 'survived', 'not reached', '% of all', '% of reached']
console.log(formatTable([head, ...results.map(toRow)]))

/** A folder at a time, so that its mutants meet only tests that lead to it. */
function filesByFolder(named: readonly string[]): [folder: string, files: string[]][] {
  const patterns = named.map((name) => (name.endsWith('.ts') ? name : `${name}/**/*.ts`))
  const files = globSync(patterns, { cwd: ROOT }).sort()
  return [...Map.groupBy(files, (file) => path.posix.dirname(file))].sort()
}

/** All files that the imports of a test lead to, through however many others. */
function reachedFrom(test: string): Set<string> {
  const seen = new Set([test])
  for (const file of seen)
    for (const [, name = ''] of readFileSync(path.join(ROOT, file), 'utf8').matchAll(IMPORT))
      seen.add(path.posix.join(path.posix.dirname(file), name))
  return seen
}

/**
 * Counts mutants: killed, survived, reached by no test. A mutant that makes a test run for ever counts as killed. In no count are
 * mutants that Stryker ignored, and mutants with which a file cannot even load, although every test file that imports it would fail.
 */
function toRow([name, statuses]: (typeof results)[number]): string[] {
  const count = (...wanted: string[]) => statuses.filter((status) => wanted.includes(status)).length
  const [killed, survived, notReached] = [count('Killed', 'Timeout'), count('Survived'), count('NoCoverage')]
  const reached = killed + survived
  const mutants = reached + notReached
  const percentOf = (whole: number) => (whole === 0 ? '-' : ((100 * killed) / whole).toFixed(1))
  const figures = [mutants, killed, survived, notReached].map(String)
  return [name, ...figures, percentOf(mutants), percentOf(reached)]
}

/** Installs what package.json beside this file lists into the cache, once for each list. @returns the folder with the packages */
async function installStryker(): Promise<string> {
  const list = readFileSync(new URL('package.json', import.meta.url), 'utf8')
  const hash = createHash('sha256').update(list).digest('hex').slice(0, 12)
  const home = path.join(cacheDir(process.env), `mutants-${hash}`)
  const found = path.join(home, 'node_modules')
  const look: Way<string> = () => (existsSync(found) ? { found } : { missing: home })
  const { dependencies } = JSON.parse(list) as { dependencies: Record<string, string> }
  const packages = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`)
  const answer = await fetchOnce(createContext(), 'mutants', look, async (dir) => {
    console.log(`Installing ${packages.join(', ')} into ${home} (75 MB, once).`)
    await installFromNpm(dir, packages, process.env)
    await moveToPlace(dir, home)
  })
  if ('missing' in answer) throw new Error(answer.missing)
  return answer.found
}

/**
 * Runs Stryker on files of one folder. Its results stay in .data/mutants, also as a report in HTML, so that the next run tries
 * only what changed. Stryker fails, for example, if a test fails without a mutant.
 *
 * @returns what became of each mutant
 */
async function runStryker(folder: string, files: string[], tests: string[]): Promise<string[]> {
  const kept = path.join(OUTPUT_DIR, folder.replaceAll('/', '-'))
  const incrementalFile = `${kept}.incremental.json`
  mkdirSync(OUTPUT_DIR, { recursive: true })
  forgetConstants(incrementalFile)
  const config = {
    mutate: files,
    testRunner: 'mocha',
    mochaOptions: { spec: tests },
    plugins: [
      path.join(packages, '@stryker-mutator', 'mocha-runner', 'dist', 'src', 'index.js'),
      path.join(ROOT, 'scripts', 'mutants', 'ignorer.mjs'),
    ],
    ignorers: ['descriptions'],
    // A mutant meets only the tests that run through it. A constant is read while its file loads, so its mutant needs a process
    // of its own and runs all tests. Such mutants are tried all the same, because our tables are constants.
    coverageAnalysis: 'perTest',
    ignoreStatic: false,
    concurrency: 2,
    incremental: true,
    incrementalFile,
    tempDirName: path.join(OUTPUT_DIR, 'sandboxes'),
    ignorePatterns: ['.data', 'deploy', 'dist', 'docs', 'test/histories', 'web'],
    // Node strips the types, so there is nothing to rewrite and nothing to check.
    tsconfigFile: 'none',
    disableTypeChecks: false,
    warnings: { slow: false },
    logLevel: 'warn',
    reporters: ['clear-text', 'json', 'html'],
    clearTextReporter: { reportTests: false, reportScoreTable: false, allowEmojis: false, logTests: false },
    jsonReporter: { fileName: `${kept}.json` },
    htmlReporter: { fileName: `${kept}.html` },
  }
  const configFile = `${kept}.config.json`
  writeFileSync(configFile, JSON.stringify(config, null, 2))
  const program = path.join(packages, '@stryker-mutator', 'core', 'bin', 'stryker.js')
  const { code } = await run(process.execPath, [program, 'run', configFile], { cwd: ROOT, inherit: true })
  if (code !== 0) throw new Error(`Stryker ended with exit code ${code}.`)
  const report = readReport(`${kept}.json`)
  return Object.values(report.files).flatMap(({ mutants }) => mutants.map(({ status }) => status))
}

/**
 * Makes the next run try again mutants that no test reached, and mutants of constants that no test noticed. Stryker does not know
 * which tests concern them, so it would keep their results whatever tests are added.
 */
function forgetConstants(file: string): void {
  if (!existsSync(file)) return
  const report = readReport(file)
  for (const source of Object.values(report.files))
    source.mutants = source.mutants.filter(
      ({ status, static: isConstant }) => status === 'Killed' || (status === 'Survived' && !isConstant),
    )
  writeFileSync(file, JSON.stringify(report))
}

function readReport(file: string) {
  type Report = { files: Record<string, { mutants: { status: string; static?: boolean }[] }> }
  return JSON.parse(readFileSync(file, 'utf8')) as Report
}
