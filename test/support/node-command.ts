/**
 * Node 20 compiles functions for speed that a boot calls a few times only. Tests start hundreds of processes, and each needs a
 * fifth less of a core to boot when the compiler waits longer, as it does in later versions by itself.
 */
const LATE_COMPILER = process.version.startsWith('v20.') ? ['--interrupt-budget=2000000'] : []

/** What starts a program of the build: Node, and the options that tests give it. */
export const NODE: readonly [string, ...string[]] = [process.execPath, ...LATE_COMPILER]
