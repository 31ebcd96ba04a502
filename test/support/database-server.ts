import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findDatabase, findMysql } from '../../scripts/lib/database/find.ts'
import { launchDatabase } from '../../scripts/lib/database/launch.ts'
import { createContext } from '../../scripts/lib/find.ts'
import { freePorts } from '../../scripts/lib/ports.ts'
import { endGroup, spawnGroup } from '../../scripts/lib/processes.ts'
import { connect, type Db } from '../../src/db/connection/connection.ts'
import { migrate } from '../../src/db/schema.ts'
import type { TestDatabase } from './database.ts'
import { countBoot, requiredEnv } from './environment.ts'

/** A database server for one test, which may change its global settings without an effect on other tests. */
export type DatabaseServer = {
  readonly kind: 'mariadb' | 'mysql'
  /** The URL of its administrator. The caller adds the database. */
  readonly url: string
  /** A directory for files of the test. It is removed with the server. */
  readonly dir: string
  stop(): Promise<void>
}

/** Launches a server of the suites' kind. `flags` takes the server's directory and returns more flags. */
export async function launchDatabaseServer(
  flags: (server: { dir: string; kind: 'mariadb' | 'mysql' }) => Promise<string[]> | string[] = () => [],
): Promise<DatabaseServer> {
  requiredEnv('TEST_DATABASE_URL')
  const env = { ...process.env }
  delete env['DATABASE_URL']
  delete env['TEST_DATABASE_URL']
  const context = createContext({ env })
  const found = await (process.env['TEST_ON_MYSQL'] ? findMysql(context) : findDatabase(context))
  if (found.kind === 'url' || found.kind === 'docker')
    throw new Error('a server program is needed, not a container')
  const dir = await mkdtemp(path.join(tmpdir(), 'database-server-'))
  const [port = 0] = await freePorts([0])
  countBoot()
  let pid: number | undefined
  const stop = async () => {
    await endGroup(pid)
    await rm(dir, { recursive: true, force: true })
  }
  try {
    const url = await launchDatabase({
      supervisor: {
        start: ({ command, args }) =>
          (pid = spawnGroup(command, args, { env, stdio: 'ignore', graceMs: 20_000 }).pid ?? 0),
      },
      found,
      dir: path.join(dir, 'server'),
      port,
      password: randomBytes(12).toString('hex'),
      isDurable: false,
      logFile: path.join(dir, 'log'),
      env,
      flags: await flags({ dir, kind: found.kind }),
    })
    return { kind: found.kind, url, dir, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Makes a migrated database on that server, with an account that has rights on this database only, as the service has.
 * The account must obey limits that the server's administrator may exceed.
 */
export async function createServiceDatabase(server: DatabaseServer, root: Db): Promise<TestDatabase> {
  await root.raw('CREATE DATABASE service')
  await root.raw(`CREATE USER 'service'@'127.0.0.1' IDENTIFIED BY 'pass'`)
  await root.raw(`GRANT ALL PRIVILEGES ON service.* TO 'service'@'127.0.0.1'`)
  const url = `${server.url.replace(/\/\/.*@/, '//service:pass@')}service`
  await migrate(url)
  const db = connect(url)
  return { url, db, batchDb: db, drop: () => db.destroy() }
}
