import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { ROOT } from './paths.mjs'

/** A test whose imports lead here uses the database that the runner launched. */
const DATABASE = 'test/support/database.ts'
const IMPORT = /\bfrom '(\.[^']+)'/g

/**
 * The test files that use a database: those whose imports lead to test/support/database.ts, through however many
 * helpers.
 *
 * @param {readonly string[]} files relative to the checkout
 * @returns {Promise<string[]>} in the same order
 */
export async function usingDatabase(files) {
  /** @type {Map<string, Promise<string[]>>} */
  const known = new Map()
  const importsOf = (/** @type {string} */ file) => {
    if (!known.has(file)) known.set(file, readImports(file))
    return known.get(file)
  }
  const answers = await Promise.all(files.map((file) => reaches(file, importsOf)))
  return files.filter((_, index) => answers[index])
}

/** @param {string} file @param {(file: string) => Promise<string[]>} importsOf */
async function reaches(file, importsOf) {
  const seen = new Set([file])
  for (const one of seen) {
    if (one === DATABASE) return true
    for (const other of await importsOf(one)) seen.add(other)
  }
  return false
}

/** @param {string} file @returns {Promise<string[]>} the test files and helpers that it imports */
async function readImports(file) {
  const source = await readFile(path.join(ROOT, file), 'utf8').catch(() => '')
  return [...source.matchAll(IMPORT)]
    .map(([, name]) => path.posix.join(path.posix.dirname(file), name.replace(/\.js$/, '.ts')))
    .filter((name) => name.startsWith('test/'))
}
