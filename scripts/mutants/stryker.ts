import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { run } from '../lib/commands.ts'
import { fetchOnce, installFromNpm, moveToPlace } from '../lib/fetch.ts'
import { createContext, type Way } from '../lib/find.ts'
import { cacheDir, DATA_DIR, ROOT } from '../lib/paths.mjs'

const OUTPUT_DIR = path.join(DATA_DIR, 'mutants')

/** A report of Stryker, as far as it is read here. */
type Report = { files: Record<string, { mutants: { status: string; static?: boolean }[] }> }

/**
 * Installs what package.json beside this file lists, once for each such list, into a folder of its own in the cache of
 * this user.
 *
 * @returns the folder with the packages
 * @throws Error with npm's output
 */
export async function installStryker(): Promise<string> {
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
 * only what changed.
 *
 * @param packages the node_modules that has Stryker
 * @param what files, tests: paths relative to the checkout; name: of the files with the results
 * @returns what became of each mutant
 * @throws Error when Stryker fails, for example because a test fails without a mutant
 */
export async function runStryker(
  packages: string,
  { name, files, tests }: { name: string; files: readonly string[]; tests: readonly string[] },
): Promise<string[]> {
  const kept = path.join(OUTPUT_DIR, name.replaceAll('/', '-'))
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

const readReport = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Report
