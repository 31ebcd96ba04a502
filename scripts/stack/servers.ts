import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { findDatabase } from '../lib/database/find.ts'
import { launchDatabase } from '../lib/database/launch.ts'
import { createContext } from '../lib/find.ts'
import { freePorts } from '../lib/ports.ts'
import type { OnUpdate } from '../lib/progress.ts'
import type { ServerOptions } from '../lib/supervisor.ts'
import { findTemporal } from '../lib/temporal/find.ts'
import { launchServer, launchTemporal, type LaunchOptions } from '../lib/temporal/launch.ts'

/*
 * The servers that a service needs. Each is the one that the environment names (DATABASE_URL, TEMPORAL_ADDRESS), else one that
 * is launched on loopback and ends with the supervisor.
 */

type Options = Omit<ServerOptions, 'logFile'> & {
  /** For the log; `dir` by default. */
  readonly logDir?: string
  /** Progress of a long search. */
  readonly onUpdate?: OnUpdate
}

type DatabaseOptions = Options & {
  /** Of the database in the URL. */
  readonly name: string
  /** Of the server's files, and the name of its log. */
  readonly folder?: string
  readonly find?: typeof findDatabase
  /** A free one by default. */
  readonly port?: number
  /** A random one by default. */
  readonly password?: string
}

/** @returns a URL of an administrator, or the one that was named; the database in it may not be there yet */
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
 * Resolves once it answers. A development server has its default namespace then; a bare one, which only `find` may bring, has none
 * and is for tests: it is not durable.
 *
 * @returns address: host:port; launched: undefined for a server that was named
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

const contextOf = ({ env, onUpdate }: Options) => createContext({ env, ...(onUpdate && { onUpdate }) })
