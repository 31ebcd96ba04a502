import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { run } from '../lib/commands.mjs'
import { DATA_DIR, ROOT } from '../lib/paths.mjs'

const OUTPUT_DIR = path.join(DATA_DIR, 'mutants')

/**
 * Runs Stryker on files of one folder. What it found out is kept in .data/mutants: the next run tries only what changed.
 *
 * @param {string} packages the node_modules that has Stryker
 * @param {{ name: string, files: readonly string[], tests: readonly string[] }} what paths relative to the checkout; name: of
 *   the files that are kept
 * @returns {Promise<import('./table.mjs').Report>} the report, whose file is kept beside one in HTML
 * @throws {Error} when Stryker fails, for example because a test fails without a mutant
 */
export async function runStryker(packages, { name, files, tests }) {
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
    // of its own and meets all tests. It counts all the same, because our tables are such constants.
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
  return JSON.parse(readFileSync(`${kept}.json`, 'utf8'))
}

/**
 * Lets the next run try mutants again that no test reached, and those of constants that no test noticed. Stryker knows no tests
 * of theirs, so it would keep their results whatever tests are added.
 *
 * @param {string} file
 */
function forgetConstants(file) {
  if (!existsSync(file)) return
  const report = JSON.parse(readFileSync(file, 'utf8'))
  for (const source of Object.values(report.files)) {
    source.mutants = source.mutants.filter(
      ({ status, static: isConstant }) => status === 'Killed' || (status === 'Survived' && !isConstant),
    )
  }
  writeFileSync(file, JSON.stringify(report))
}
