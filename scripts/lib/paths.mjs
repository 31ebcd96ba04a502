import { homedir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout these scripts belong to. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '')

/** Development data, logs and generated secrets; git-ignored, survives a restart. */
export const DATA_DIR = path.join(ROOT, '.data')

/** Where fetched programs are kept, for every checkout of this user. @param {NodeJS.ProcessEnv} env @returns {string} */
export const cacheDir = (env) => path.join(env.HOME ?? homedir(), '.cache', 'sales-data-webhooks')

/** @param {string} name @returns {string} the executable of an installed npm package */
export const packageBin = (name) => path.join(ROOT, 'node_modules', '.bin', name)

/**
 * TypeScript's compiler as a native program: the package typescript-native. Called by its path, because node_modules/.bin/tsc
 * is the compiler of the package typescript, whose API writes the console's wire types.
 */
export const COMPILER = path.join(ROOT, 'node_modules', 'typescript-native', 'bin', 'tsc')
