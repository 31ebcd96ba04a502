import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { findDatabase } from '../lib/database/find.ts'
import { launchDatabase, type LaunchOptions as DatabaseLaunch } from '../lib/database/launch.ts'
import { freePorts } from '../lib/ports.ts'
import type { OnUpdate } from '../lib/progress.ts'
import type { ServerOptions } from '../lib/supervisor.ts'
import { findTemporal } from '../lib/temporal/find.ts'
import { launchServer, launchTemporal, type LaunchOptions } from '../lib/temporal/launch.ts'

/*
 * The servers that a service needs. If the environment names one (DATABASE_URL, TEMPORAL_ADDRESS), that is used. Otherwise one
 * is launched on loopback, which ends with the supervisor.
 */

/** `logDir`: for the log, `dir` by default; `onUpdate`: gets the progress of a long search. */
type Options = Omit<ServerOptions, 'logFile'> & { readonly logDir?: string; readonly onUpdate?: OnUpdate }

/** `name`: of the database in the URL; `folder`: of the server's files, and the name of its log. A random password by default. */
type DatabaseOptions = Options &
  Partial<Pick<DatabaseLaunch, 'port' | 'password'>> & {
    readonly name: string
    readonly folder?: string
    readonly find?: typeof findDatabase
  }

/** @returns the URL of an administrator, or the URL that the environment names; its database may not exist yet */
export async function provideDatabase(options: DatabaseOptions): Promise<string> {
  const { dir, folder = 'database', find = findDatabase } = options
  const found = await find(contextOf(options))
  if (found.kind === 'url') return found.url
  const url = await launchDatabase({
    ...options,
    found,
    dir: path.join(dir, folder),
    port: options.port ?? (await freePorts([0]))[0]!,
    password: options.password ?? randomBytes(16).toString('hex'),
    logFile: path.join(options.logDir ?? dir, `${folder}.log`),
  })
  return `${url}${options.name}`
}

type TemporalOptions = Options & Pick<LaunchOptions, 'ports'> & { readonly find?: typeof findTemporal }

/**
 * Resolves once Temporal answers. A development server has its default namespace then. A bare server has none and is not durable;
 * only tests get one, by `find`. `launched` is undefined for a server that was named.
 */
export async function provideTemporal(options: TemporalOptions) {
  const { dir, find = findTemporal } = options
  const found = await find(contextOf(options))
  if (found.kind === 'address') return { address: found.address, launched: undefined }
  const { kind, executable, version } = found
  const logFile = path.join(options.logDir ?? dir, kind === 'cli' ? 'temporal.log' : 'temporal-server.log')
  const launch = kind === 'server' ? launchServer : launchTemporal
  const { address, answers } = await launch({ ...options, executable, logFile })
  return { address, launched: { version, answers } }
}

const contextOf = ({ env, onUpdate }: Options) => ({ env, ...(onUpdate && { onUpdate }) })
