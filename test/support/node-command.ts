import { lateCompiler } from '../../scripts/lib/late-compiler.mjs'

/** What starts a program of the build: Node, and the options that tests give it. */
export const NODE: readonly [string, ...string[]] = [process.execPath, ...lateCompiler(process.env)]
