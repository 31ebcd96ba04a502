import { homedir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout these scripts belong to. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '')

/** Development data, logs and generated secrets; git-ignored, survives a restart. */
export const DATA_DIR = path.join(ROOT, '.data')

/**
 * Where fetched programs are kept, shared by every checkout of this user.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {string}
 */
export const cacheDir = (env) => path.join(env.HOME ?? homedir(), '.cache', 'sales-data-webhooks')

/** @param {NodeJS.ProcessEnv} env @returns {string} the directory that keeps a fetched Temporal command line */
export const cacheBinDir = (env) => path.join(cacheDir(env), 'bin')

/** @param {string} name @returns {string} the executable of an installed npm package */
export const packageBin = (name) => path.join(ROOT, 'node_modules', '.bin', name)

/**
 * @param {string} file below src/, absolute
 * @returns {[src: string, file: string]} the path of src/ with its slash, and that of the file below it
 */
export function splitAtSrc(file) {
  const end = file.lastIndexOf('/src/') + '/src/'.length
  return [file.slice(0, end), file.slice(end)]
}

/**
 * TypeScript's compiler as a native program: the package typescript-native. Called by its path, because node_modules/.bin/tsc
 * is the one of the package typescript, whose API writes the console's wire types.
 */
export const COMPILER = path.join(ROOT, 'node_modules', 'typescript-native', 'bin', 'tsc')
