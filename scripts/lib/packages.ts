import { stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { lastLines, run } from './commands.ts'
import { ROOT } from './paths.mjs'
import type { Progress } from './progress.ts'

/** npm writes this file at the end of an install. */
const INSTALLED = path.join(ROOT, 'node_modules', '.package-lock.json')
const LOCK = path.join(ROOT, 'package-lock.json')

/**
 * Installs exactly what package-lock.json says, where node_modules is missing or older than that file.
 *
 * @throws Error with the end of npm's output
 */
export async function ensurePackages({ step }: Progress): Promise<void> {
  const timeOf = (file: string) => stat(file).then(({ mtimeMs }) => mtimeMs)
  const installedAt = await timeOf(INSTALLED).catch(() => 0)
  if ((await timeOf(LOCK)) > installedAt) await step('Install packages (npm ci)', install)
}

async function install(): Promise<void> {
  const { code, output } = await run('npm', ['ci', '--no-progress'], { cwd: ROOT })
  if (code !== 0) throw new Error(`npm ci failed (is the package registry reachable?):\n${lastLines(output)}`)
  const now = new Date()
  await utimes(INSTALLED, now, now) // npm may keep an older time, and the next start would install again
}
