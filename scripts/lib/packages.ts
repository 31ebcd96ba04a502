import { stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { lastLines, run } from './commands.ts'
import { ROOT } from './paths.mjs'

/** npm writes this file at the end of an install. */
const INSTALLED = path.join(ROOT, 'node_modules', '.package-lock.json')
const LOCK = path.join(ROOT, 'package-lock.json')

/** Whether node_modules is missing or older than package-lock.json. */
export async function needsPackages(): Promise<boolean> {
  const timeOf = (file: string) => stat(file).then(({ mtimeMs }) => mtimeMs)
  const installedAt = await timeOf(INSTALLED).catch(() => undefined)
  return installedAt === undefined || (await timeOf(LOCK)) > installedAt
}

/** Installs exactly what package-lock.json says. @throws Error with the end of npm's output */
export async function installPackages(): Promise<void> {
  const { code, output } = await run('npm', ['ci', '--no-progress'], { cwd: ROOT })
  if (code !== 0) throw new Error(`npm ci failed (is the package registry reachable?):\n${lastLines(output)}`)
  const now = new Date()
  await utimes(INSTALLED, now, now) // npm may keep an older time, and the next start would install again
}
