/**
 * One way to get a server: resolves to what it found, or to the reason why it found nothing.
 *
 * @template Found
 * @typedef {(context: Context) => Promise<{ found: Found } | { missing: string }>} Way
 */

/**
 * What the ways depend on; tests pass their own.
 *
 * @typedef {object} Context
 * @property {NodeJS.ProcessEnv} env
 * @property {NodeJS.Platform} platform
 * @property {number} userId 0 is root
 * @property {string} nodePath
 * @property {(text: string) => void} onUpdate progress of a long way
 */

/** @param {Partial<Context>} [overrides] @returns {Context} */
export const createContext = (overrides = {}) => ({
  env: process.env,
  platform: process.platform,
  userId: process.getuid?.() ?? -1,
  nodePath: process.execPath,
  onUpdate: () => {},
  ...overrides,
})

/**
 * Tries the ways in order and takes the first that finds something.
 *
 * @template Found
 * @param {ReadonlyArray<Way<Found>>} ways
 * @param {Context} context
 * @param {{ what: string, choices: readonly string[] }} help for the error when nothing was found
 * @returns {Promise<Found>}
 * @throws {Error} naming why each way failed and what the user can do
 */
export async function findFirst(ways, context, { what, choices }) {
  const reasons = []
  for (const way of ways) {
    const answer = await way(context)
    if ('found' in answer) return answer.found
    reasons.push(answer.missing)
  }
  const list = (/** @type {readonly string[]} */ lines) => lines.map((line) => `  - ${line}`).join('\n')
  throw new Error(`No ${what} was found:\n${list(reasons)}\nAny one of these will do:\n${list(choices)}`)
}
