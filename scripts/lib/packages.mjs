import { stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { lastLines, run } from './commands.mjs'
import { ROOT } from './paths.mjs'

/** npm writes this file at the end of an install. */
const INSTALLED = path.join(ROOT, 'node_modules', '.package-lock.json')
const LOCK = path.join(ROOT, 'package-lock.json')

/** @returns {Promise<boolean>} whether node_modules is missing or older than package-lock.json */
export async function needsPackages() {
  const [installed, lock] = await Promise.all(
    [INSTALLED, LOCK].map((file) => stat(file).catch(() => undefined)),
  )
  return installed === undefined || (lock !== undefined && lock.mtimeMs > installed.mtimeMs)
}

/**
 * Installs exactly what package-lock.json says.
 *
 * @returns {Promise<void>}
 * @throws {Error} with the end of npm's output
 */
export async function installPackages() {
  const { code, output } = await run('npm', ['ci', '--no-progress'], { cwd: ROOT })
  if (code !== 0) throw new Error(`npm ci failed (is the package registry reachable?):\n${lastLines(output)}`)
  const now = new Date()
  await utimes(INSTALLED, now, now) // npm may keep an older time, and the next start would install again
}
