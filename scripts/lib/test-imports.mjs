import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { ROOT } from './paths.mjs'

/** A test that uses the database that the runner launched reads its address like this. */
const DATABASE = "requiredEnv('TEST_DATABASE_URL')"
const IMPORT = /\bfrom '(\.[^']+)'/g
/** The same for the Temporal server that the runner launched. A test may name the variable without using the server. */
const TEMPORAL = "requiredEnv('TEMPORAL_ADDRESS')"

/** @typedef {(source: string) => boolean} IsWanted whether the source of a test file or of a helper is what is looked for */

/**
 * The test files that use a database: those that read its address, or whose imports lead to a helper that does, through
 * however many others.
 *
 * @param {readonly string[]} files relative to the checkout
 * @returns {Promise<string[]>} in the same order
 */
export const usingDatabase = (files) => leadingTo(files, (source) => source.includes(DATABASE))

/**
 * The test files that use Temporal: those that read the address of the server, or whose imports lead to a helper that does.
 *
 * @param {readonly string[]} files relative to the checkout
 * @returns {Promise<string[]>} in the same order
 */
export const usingTemporal = (files) => leadingTo(files, (source) => source.includes(TEMPORAL))

/** @param {readonly string[]} files @param {IsWanted} isWanted */
async function leadingTo(files, isWanted) {
  /** @type {Map<string, Promise<string>>} */
  const sources = new Map()
  const sourceOf = (/** @type {string} */ file) => {
    const source = sources.get(file) ?? readFile(path.join(ROOT, file), 'utf8').catch(() => '')
    sources.set(file, source)
    return source
  }
  const answers = await Promise.all(files.map((file) => reaches(file, sourceOf, isWanted)))
  return files.filter((_, index) => answers[index])
}

/**
 * @param {string} first
 * @param {(file: string) => Promise<string>} sourceOf
 * @param {IsWanted} isWanted
 */
async function reaches(first, sourceOf, isWanted) {
  const seen = new Set([first])
  for (const file of seen) {
    const source = await sourceOf(file)
    if (isWanted(source)) return true
    for (const other of importsOf(file, source)) seen.add(other)
  }
  return false
}

/** @param {string} file @param {string} source @returns {string[]} the test files and helpers that it imports */
const importsOf = (file, source) =>
  [...source.matchAll(IMPORT)]
    .map(([, name = '']) => path.posix.join(path.posix.dirname(file), name))
    .filter((name) => name.startsWith('test/'))
