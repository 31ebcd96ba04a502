import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { ROOT } from '../lib/paths.mjs'

/** The tests of the rules. They need no server and take seconds together: each mutant of a constant meets all that reach its file. */
const TESTS = [
  'test/unit/{domain,presenters,api/{auth,schemas}}/**/*.test.ts',
  'test/unit/attempts/gate.test.ts',
  'test/unit/sending/address-guard.test.ts',
]

/** Imports of types are none once Node has stripped them. */
const IMPORT = /^(?:import|export|\}) (?!type\b)(?:[^'\n]* )?from '(\.[^']+)'/gm

/**
 * The test files whose imports lead to one of the files, through however many others.
 *
 * @param {ReadonlySet<string>} files relative to the checkout
 * @returns {Promise<string[]>} sorted
 */
export async function testsOf(files) {
  /** @type {Map<string, Promise<string[]>>} */
  const imports = new Map()
  const importsOf = (/** @type {string} */ file) => {
    const known = imports.get(file) ?? readImports(file)
    imports.set(file, known)
    return known
  }
  const found = []
  for await (const test of glob(TESTS, { cwd: ROOT })) {
    const seen = new Set([test])
    for (const file of seen) for (const other of await importsOf(file)) seen.add(other)
    if (!files.isDisjointFrom(seen)) found.push(test)
  }
  return found.sort()
}

/** @param {string} file */
async function readImports(file) {
  const source = await readFile(path.join(ROOT, file), 'utf8')
  return [...source.matchAll(IMPORT)].map(([, name = '']) => path.posix.join(path.posix.dirname(file), name))
}
