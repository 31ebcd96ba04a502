/**
 * Options that let Node 20 compile later, as later versions do by themselves. What lives for seconds takes up to a fifth less of
 * a core then. It is slower for its first minutes, so what measures times goes without.
 *
 * @param {Record<string, string | undefined>} env with TEST_NODE_OPTIONS=none there are none
 * @returns {string[]} arguments for Node
 */
export const lateCompiler = (env) =>
  process.version.startsWith('v20.') && env['TEST_NODE_OPTIONS'] !== 'none'
    ? ['--interrupt-budget=2000000']
    : []
