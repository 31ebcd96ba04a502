/**
 * Node 20 compiles functions for speed that a boot calls a few times only. Tests start hundreds of processes, and each needs a
 * fifth less of a core to boot when the compiler waits longer, as later versions do by themselves.
 * They are slower for their first minutes, so what measures times goes without.
 */
const isLate = process.version.startsWith('v20.') && process.env['TEST_NODE_OPTIONS'] !== 'none'
const LATE_COMPILER = isLate ? ['--interrupt-budget=2000000'] : []

/** What starts a program of the build: Node, and the options that tests give it. */
export const NODE: readonly [string, ...string[]] = [process.execPath, ...LATE_COMPILER]
