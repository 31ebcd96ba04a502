import { DIRECT } from './first-attempts.ts'
import { share } from './kept.ts'
import type { RunningPart } from './running-parts.ts'
import { type TestTenant, createTestTenant, type KeyOptions } from './tenants.ts'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { keepCertificate } from '../../scripts/receiver/certificate.ts'
import { createReceiver } from '../../scripts/receiver/receiver.ts'
import type { Certificate } from './certificates.ts'
import { createTestDatabase, here, type TestDatabase } from './database.ts'
import { requiredEnv } from './environment.ts'
import { startInProcess, type PartKind } from './in-process.ts'
import { takeNamespace } from './namespaces.ts'
import { startProcess } from './processes.ts'
import { watchSignatures } from './signatures.ts'

/**
 * The stacks that the files of a mocha process share, because a start costs a third of a second and a tenant nothing.
 * One stack combines settings that do not affect each other's tests. No test may break or end a part of a shared stack.
 */
const STACKS = {
  /** For all files without special needs. */
  usual: {},
  /** Without a worker: published deliveries stay pending, and no worker serves requests. */
  quiet: { workers: 0, environment: { AUTH_FAILURES_PER_MINUTE: '0' } },
  /** Its worker makes direct attempts, and waits for answers that a test holds back. */
  direct: { environment: { ...DIRECT, WEBHOOK_TIMEOUT: '10s' } },
  /** Its parts log everything, and it retries failed attempts after less than 1 s. */
  talkative: { environment: { LOG_LEVEL: 'trace', WEBHOOK_RETRY_SCHEDULE: '100ms' } },
} as const satisfies Record<string, StackOptions>

/** The second api of the stack `quiet`. */
const PROXIED = { TRUSTED_PROXIES: '127.0.0.1,198.51.100.0/24' }

/** `proxied` is the stack `quiet` with its second api in place of the first. */
type SharedStack = keyof typeof STACKS | 'proxied'

/** Returns a shared stack. The first caller in a mocha process starts it. hooks.ts checks and stops it. */
async function sharedStack(name: SharedStack): Promise<Stack> {
  if (name === 'proxied') return (await share(name, secondApi)).stack
  return share(name, () => startStack(STACKS[name]))
}

/** hooks.ts checks and stops this stack with the stack that owns it. */
async function secondApi() {
  const quiet = await sharedStack('quiet')
  return { stack: withApi(quiet, await quiet.startApi(PROXIED)), stop: () => Promise.resolve() }
}

/** What the hooks have prepared. Read it inside tests. */
export type StackInUse = {
  readonly stack: Stack
  /** Each test's own company. */
  readonly tenant: TestTenant
}

/** A start takes a second, or a few seconds where processes boot. A busy machine takes longer. */
const START_WITHIN_MS = 60_000

/**
 * Gives the tests of the surrounding `describe` a stack. Without options the files of a run share it, and no test may break it.
 * With options it is their own, stopped after them. Options may be a function, called after the earlier hooks.
 */
export function useStack(wanted: SharedStack | StackOptions | (() => StackOptions) = 'usual'): StackInUse {
  const prepared: { stack?: Stack; tenant?: TestTenant } = {}
  before(async function () {
    this.timeout(Math.max(START_WITHIN_MS, this.timeout()))
    if (typeof wanted === 'string') prepared.stack = await sharedStack(wanted)
    else prepared.stack = await startStack(typeof wanted === 'function' ? wanted() : wanted)
  })
  beforeEach(async () => void (prepared.tenant = await here(prepared.stack).tenant()))
  if (typeof wanted !== 'string') after(() => prepared.stack?.stop())
  return {
    get stack() {
      return here(prepared.stack)
    },
    get tenant() {
      return here(prepared.tenant)
    },
  }
}

/**
 * Starts an api, a worker or a helper before the tests of the surrounding `describe`, and stops it after them.
 *
 * @returns a function that returns it inside tests
 */
export function usePart<T extends { readonly stop: () => unknown }>(start: () => Promise<T>): () => T {
  let running: T | undefined
  before(async function () {
    this.timeout(START_WITHIN_MS)
    running = await start()
  })
  after(() => running?.stop())
  return () => here(running)
}

export type Stack = Awaited<ReturnType<typeof startStack>>

export type StackOptions = {
  readonly workers?: number
  readonly environment?: Record<string, string>
  /**
   * Unless this is set, `check` and `stop` throw when a part logged an error. Normal operation logs none, even with
   * failing endpoints.
   */
  readonly mayLogErrors?: boolean
  /** Makes the database. The default is a database on the server that all tests share. */
  readonly database?: () => Promise<TestDatabase>
  /** Whether api and workers run in their own processes. */
  readonly processes?: boolean
  /** The folder of the build that the processes run. The default is our build. */
  readonly dir?: string
}

/**
 * Short delays in place of the operator's schedule, so that the same code runs in seconds. The time-out is long enough
 * for an endpoint on a busy machine, because a late answer is a failed attempt and would break tests.
 */
const FAST = {
  NODE_ENV: 'test',
  WEBHOOK_RETRY_SCHEDULE: '300ms,600ms',
  WEBHOOK_TIMEOUT: '4s',
  RATE_LIMIT_PER_MINUTE: '0',
  COMPANY_RATE_LIMIT_PER_MINUTE: '0',
  KEYS_PER_COMPANY: '1000',
  DENIED_CALLS_PER_MINUTE: '0',
  SHUTDOWN_GRACE: '5s',
  LOG_LEVEL: 'info',
}

/** How all stacks of a run make first attempts. Configuration B sets it. */
const firstAttempts = (): Record<string, string> => {
  const maker = process.env['TEST_FIRST_ATTEMPT']
  return maker === undefined ? {} : { DELIVERY_FIRST_ATTEMPT: maker }
}

/**
 * A real service for a test: database, Temporal namespace, receiver, api and workers. Api and workers run in the process of the
 * test. A test that kills, starves or measures them uses `spawnApi`, `spawnWorker`, or the option `processes` for all of them.
 */
async function startStack({
  workers = 1,
  environment = {},
  mayLogErrors = false,
  database: createDatabase = createTestDatabase,
  dir: build,
  processes = build !== undefined,
}: StackOptions = {}) {
  const address = requiredEnv('TEMPORAL_ADDRESS')
  const connection = await Connection.connect({ address })
  const dir = await mkdtemp(path.join(requiredEnv('TEST_RUN_DIR'), 'stack-'))
  const [database, namespace, certificate] = await Promise.all([
    createDatabase(),
    takeNamespace(connection),
    keepCertificate(dir),
  ])
  const signatures = watchSignatures()
  const receiver = signatures.watched(await createReceiver({ ...certificate, onRequest: signatures.check }))
  const common: Record<string, string> = {
    ...FAST,
    DATABASE_URL: database.serviceUrl ?? database.url,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    SECRETS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    WEBHOOK_CA_FILE: certificate.certFile,
    ...firstAttempts(),
    ...environment,
  }
  const started: RunningPart[] = []
  async function keep<T extends RunningPart>(starting: Promise<T>): Promise<T> {
    const part = await starting
    started.push(part)
    return part
  }
  const spawn = (kind: PartKind, more: Record<string, string> = {}, from = build) =>
    keep(startProcess(kind, { ...common, ...more }, { dir: from }))
  const start = (kind: PartKind, more: Record<string, string> = {}): Promise<RunningPart> =>
    processes ? spawn(kind, more) : keep(startInProcess(kind, { ...common, ...more }))
  async function release(): Promise<void> {
    await Promise.all(started.map((running) => running.stop()))
    await connection.close()
    await receiver.close()
    await database.drop()
    await rm(dir, { recursive: true, force: true })
  }
  const errors = newErrorsOf(started)
  function check(): void {
    signatures.expectAllVerified()
    const lines = errors()
    if (lines.length > 0 && !mayLogErrors)
      throw new Error(`errors were logged:\n${lines.slice(0, 5).join('\n')}`)
  }
  const apiStarting = start('server')
  // Start one process at a time: a release compiles and bundles at its start, and two would share a core.
  if (build !== undefined) await Promise.allSettled([apiStarting])
  const starting = [apiStarting, ...Array.from({ length: workers }, () => start('worker'))] as const
  await Promise.allSettled(starting)
  const [api, ...runningWorkers] = await Promise.all(starting).catch(async (error: unknown) => {
    await release()
    throw error
  })
  const { db } = database
  const temporal = new Client({ connection, namespace })
  return {
    db,
    batchDb: database.batchDb,
    temporal,
    receiver,
    /** The receiver's certificate, which the workers trust. Other endpoints of this machine may use it too. */
    certificate: certificate as Certificate,
    api,
    workers: runningWorkers,
    /** The environment of api and workers. */
    environment: common,
    startWorker: (more?: Record<string, string>) => start('worker', more),
    startApi: (more?: Record<string, string>) => start('server', more),
    /** Starts it in its own process. @param from another build than the stack's */
    spawnWorker: (more?: Record<string, string>, from?: string) => spawn('worker', more, from),
    spawnApi: (more?: Record<string, string>, from?: string) => spawn('server', more, from),
    /** Makes a company, or takes an existing one, with a key that may do everything and an HTTP client for it. */
    tenant: (options?: KeyOptions) => createTestTenant(db, api.url, options),
    /** The history of a workflow. */
    eventsOf: async (workflowId: string) =>
      (await temporal.workflow.getHandle(workflowId).fetchHistory()).events ?? [],
    /** How many rows there are. */
    count: async (table: string, where: object = {}): Promise<number> =>
      Number((await db(table).where(where).count({ count: '*' }).first<{ count: number | string }>()).count),
    /** Changes columns of rows directly, without the service. */
    set: (table: string, where: object, columns: object): Promise<number> =>
      db(table).where(where).update(columns),
    /** @throws Error when the receiver refused a signature or a part logged an error since the last check */
    check,
    /** Ends everything, and checks. */
    async stop(): Promise<void> {
      await release()
      check()
    },
  }
}

/** The same stack with another of its apis. */
export const withApi = (stack: Stack, api: RunningPart): Stack => ({
  ...stack,
  api,
  tenant: (options) => createTestTenant(stack.db, api.url, options),
})

/** Returns the errors that the parts have logged since the last call. */
function newErrorsOf(parts: readonly RunningPart[]): () => string[] {
  const seen = new Map<RunningPart, number>()
  return () =>
    parts.flatMap((part) => {
      const output = part.output()
      const fresh = output.slice(seen.get(part) ?? 0)
      seen.set(part, output.length)
      return fresh.split('\n').filter(isError)
    })
}

const isError = (line: string): boolean =>
  /"level":"(error|fatal)"|"level":"warn".*"msg":"Workflow failed"/.test(line) ||
  (line !== '' && !line.startsWith('{'))
