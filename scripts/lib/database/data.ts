import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { lastLines, run } from '../commands.ts'
import { findOnPath } from '../find.ts'
import type { ServerKind } from './find.ts'

/** How a data directory is made: root has no password until the first start runs the init file, before the server listens. */
const MAKE_DATA = {
  mariadb: ['--auth-root-authentication-method=normal', '--skip-test-db'],
  mysql: ['--initialize-insecure'],
}

/** Both servers refuse to run as root without this. */
export const AS_USER = process.getuid?.() === 0 ? ['--user=root'] : []

/**
 * Makes the data directory of a server, unless it is there. It is made under another name and then renamed, so that a
 * run that was cut short leaves nothing half made.
 *
 * @throws Error with what the server said
 */
export async function ensureData(
  kind: ServerKind,
  executable: string,
  dataDir: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (existsSync(dataDir)) return
  const fresh = `${dataDir}.new`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { recursive: true, mode: 0o700 })
  const maker = kind === 'mysql' ? executable : findInstaller(executable, env)
  // mariadb-install-db is a shell script that breaks on a path with spaces, so it gets a relative one.
  const target = kind === 'mysql' ? fresh : `./${path.basename(fresh)}`
  const args = ['--no-defaults', `--datadir=${target}`, ...MAKE_DATA[kind], ...AS_USER]
  const { code, output } = await run(maker, args, { env, cwd: path.dirname(fresh) })
  if (code !== 0)
    throw new Error(`The database's data directory could not be created:\n${faultLines(output)}`)
  await rename(fresh, dataDir)
}

function findInstaller(executable: string, env: NodeJS.ProcessEnv): string {
  const found = findOnPath('mariadb-install-db', env, [path.dirname(executable), '/usr/bin'])
  if (found) return found
  throw new Error(`mariadb-install-db is missing beside ${executable}: install it too`)
}

/** mariadb-install-db ends with a page of advice; its errors come before that. */
function faultLines(output: string): string {
  const faults = output.split('\n').filter((line) => /\berror\b|fail|cannot/i.test(line))
  return lastLines([...faults, lastLines(output, 3)].join('\n'))
}
