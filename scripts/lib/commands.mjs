import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { spawnGroup } from './process-groups.mjs'

/**
 * @typedef {{ code: number, output: string, stdout: string }} Result code 127 when the command could not be started, 128 + n when
 *   signal n ended it; output holds both streams in the order they came
 */

/**
 * Runs a command to its end. Never throws for the command's own failure: look at `code`.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string, uid?: number, gid?: number, onLine?: (line: string) => void, timeoutMs?: number, inherit?: boolean }} [options]
 *   inherit: the command writes to our own streams, output stays empty
 * @returns {Promise<Result>}
 */
export async function run(command, args, { onLine, timeoutMs, inherit = false, ...options } = {}) {
  const child = spawnGroup(command, args, {
    ...options,
    ...(inherit && { stdio: ['ignore', 'inherit', 'inherit'] }),
  })
  /** @type {string[]} */
  const lines = []
  /** @type {string[]} */
  const printed = []
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      if (stream === child.stdout) printed.push(line)
      onLine?.(line)
    })
  }
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      lines.push(error.message)
      resolve(127)
    })
    child.once('close', (status, signal) => resolve(status ?? 128 + (signal === 'SIGINT' ? 2 : 15)))
  })
  clearTimeout(timer)
  return { code, output: lines.join('\n'), stdout: printed.join('\n') }
}

/**
 * Looks a command up as a shell would.
 *
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env whose PATH is searched
 * @param {readonly string[]} [moreDirs] searched after PATH
 * @returns {string | undefined} its absolute path
 */
export function findOnPath(name, env, moreDirs = []) {
  const dirs = (env.PATH ?? '').split(path.delimiter).filter((dir) => dir !== '')
  return [...dirs, ...moreDirs].map((dir) => path.resolve(dir, name)).find(isExecutable)
}

/** @param {string} file @returns {boolean} */
export function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/**
 * The end of a command's output, for error messages.
 *
 * @param {string} output
 * @param {number} [count] lines
 * @returns {string}
 */
export const lastLines = (output, count = 15) => output.trimEnd().split('\n').slice(-count).join('\n')
