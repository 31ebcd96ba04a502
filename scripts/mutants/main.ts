// Changes the rules in src, one spot at a time, and looks whether a test of test/unit notices: `npm run test:mutants [path…]`.
// Prints each change that no test notices, and a table of the folders.
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../lib/paths.mjs'
import { formatTable } from '../lib/progress.ts'
import { installStryker, runStryker } from './stryker.ts'

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
  results.push([folder, await runStryker(packages, { name: folder, files, tests })])
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
