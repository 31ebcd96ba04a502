// Changes the rules in src, one spot at a time, and looks whether a test of test/unit notices: `npm run test:mutants [path…]`.
// Prints each change that no test notices, and a table of the folders.
import { existsSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import path from 'node:path'
import { ROOT } from '../lib/paths.mjs'
import { installStryker } from './install.mjs'
import { runStryker } from './stryker.mjs'
import { countMutants, tableOf } from './table.mjs'
import { testsOf } from './tests-of.mjs'

/** What is mutated without a path: the rules and the shapes of the product. What else src has is tried by tests that need servers. */
const RULES = ['src/domain', 'src/presenters', 'src/attempts/gate.ts', 'src/sending/address-guard.ts']

const paths = process.argv.slice(2).map((name) => `src/${name.replace(/^src\//, '').replace(/\/$/, '')}`)
const unknown = paths.filter((file) => !existsSync(path.join(ROOT, file)))
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}. Name folders or files of src, such as domain/delivery.`)
  process.exit(1)
}

const packages = await installStryker()
const counts = []
for (const [folder, files] of await filesByFolder(paths.length > 0 ? paths : RULES)) {
  const tests = await testsOf(new Set(files))
  console.log(`\n${folder}: ${files.length} files, ${tests.length} files of tests`)
  counts.push(countMutants(folder, await runStryker(packages, { name: folder, files, tests })))
}
console.log(tableOf(counts))

/** A folder at a time, so that its mutants meet only tests that lead to it. @param {readonly string[]} named */
async function filesByFolder(named) {
  const patterns = named.map((name) => (name.endsWith('.ts') ? name : `${name}/**/*.ts`))
  const files = await Array.fromAsync(glob(patterns, { cwd: ROOT }))
  return [...Map.groupBy(files.sort(), path.posix.dirname)].sort()
}
