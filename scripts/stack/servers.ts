import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { findDatabase } from '../lib/database/find.mjs'
import { launchDatabase } from '../lib/database/launch.mjs'
import { createContext } from '../lib/find.mjs'
import { freePorts } from '../lib/ports.mjs'
import type { Supervisor } from '../lib/supervisor.mjs'
import { findTemporal } from '../lib/temporal/find.mjs'
import { launchServer } from '../lib/temporal/launch-server.mjs'
import { launchTemporal } from '../lib/temporal/launch.mjs'

/*
 * The servers that a service needs. Each is the one that the environment names (DATABASE_URL, TEMPORAL_ADDRESS), else one that
 * is launched on loopback and ends with the supervisor.
 */

type ServerOptions = {
  readonly supervisor: Supervisor
  /** For data. */
  readonly dir: string
  /** For the log; `dir` by default. */
  readonly logDir?: string
  readonly env: NodeJS.ProcessEnv
  /** False (tests): a commit may be lost when the machine dies. */
  readonly isDurable: boolean
  /** Progress of a long search. */
  readonly onUpdate?: (text: string) => void
}

type DatabaseOptions = ServerOptions & {
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
  const { supervisor, dir, env, isDurable, folder = 'database', find = findDatabase } = options
  const found = await find(contextOf(options))
  if (found.kind === 'url') return found.url
  const url = await launchDatabase({
    supervisor,
    found,
    dir: path.join(dir, folder),
    port: options.port ?? (await freePorts([0]))[0]!,
    password: options.password ?? randomBytes(16).toString('hex'),
    isDurable,
    logFile: path.join(options.logDir ?? dir, `${folder}.log`),
    env,
  })
  return `${url}${options.name}`
}

export type TemporalServer = {
  /** host:port */
  readonly address: string
  /** Undefined for a server that was named. */
  readonly launched?: {
    readonly version: string
    /** Whether it still reads its store. */
    readonly answers: () => Promise<boolean>
  }
}

type TemporalOptions = ServerOptions & {
  readonly find?: typeof findTemporal
  /** Free ones and no UI by default. */
  readonly ports?: Parameters<typeof launchTemporal>[0]['ports']
}

/**
 * Resolves once it answers. A development server has its default namespace then; a bare one, which only `find` may bring, has none
 * and is for tests: it is not durable.
 */
export async function provideTemporal(options: TemporalOptions): Promise<TemporalServer> {
  const { supervisor, dir, env, isDurable, find = findTemporal } = options
  const found = await find(contextOf(options))
  if (found.kind === 'address') return { address: found.address }
  const { kind, executable, version } = found
  const logFile = path.join(options.logDir ?? dir, kind === 'cli' ? 'temporal.log' : 'temporal-server.log')
  const { address, answers } =
    kind === 'server'
      ? await launchServer({ supervisor, executable, dir, logFile, env })
      : await launchTemporal({
          supervisor,
          executable,
          databaseFile: path.join(dir, 'temporal.db'),
          ports: options.ports ?? (await freeTemporalPorts()),
          isDurable,
          logFile,
          env,
        })
  return { address, launched: { version, answers } }
}

async function freeTemporalPorts() {
  const [grpc = 0, http = 0, metrics = 0] = await freePorts([0, 0, 0])
  return { grpc, http, metrics }
}

const contextOf = ({ env, onUpdate }: ServerOptions) => createContext({ env, ...(onUpdate && { onUpdate }) })
