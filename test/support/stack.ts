import { randomBytes } from 'node:crypto'
import { writeFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { makeCertificate } from '../../scripts/receiver/certificate.mjs'
import { createReceiver, type Receiver } from '../../scripts/receiver/receiver.mjs'
import type { Db } from '../../src/db/connection/connection.ts'
import type { Certificate } from './certificates.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { requiredEnv } from './environment.ts'
import { startProcess, type RunningProcess } from './processes.ts'
import { watchSignatures } from './signatures.ts'
import { createTestTenant, type TestTenant } from './tenants.ts'

/** The real thing for one test file: database, Temporal namespace, receiver, api and worker processes. */
export type Stack = {
  readonly db: Db
  readonly batchDb: Db
  readonly temporal: Client
  readonly receiver: Receiver
  /** That of the receiver, which the workers trust; other endpoints of this machine may use it too. */
  readonly certificate: Certificate
  readonly api: RunningProcess
  readonly workers: RunningProcess[]
  /** What the processes are started with. */
  readonly environment: Record<string, string>
  /** `dir`: another build than that of the stack. */
  startWorker(environment?: Record<string, string>, dir?: string): Promise<RunningProcess>
  startApi(environment?: Record<string, string>, dir?: string): Promise<RunningProcess>
  /** A company with a key that may do everything, and an HTTP client that uses it. */
  tenant(): Promise<TestTenant>
  stop(): Promise<void>
}

export type StackOptions = {
  readonly workers?: number
  readonly environment?: Record<string, string>
  /**
   * Without it `stop` throws when a process logged an error. In normal operation, also with failing endpoints, there is
   * none.
   */
  readonly mayLogErrors?: boolean
  /** Gives the database; by default one on the server that all tests share. */
  readonly database?: () => Promise<TestDatabase>
  /** Where the build is that the processes run; ours by default. */
  readonly dir?: string
}

/**
 * Short delays in place of the operator's schedule: the same code, in seconds. The time-out leaves an endpoint time enough on a
 * busy machine: an answer that comes too late is a failed attempt, as it should be, and no test means that.
 */
const FAST = {
  NODE_ENV: 'test',
  WEBHOOK_RETRY_SCHEDULE: '300ms,600ms',
  WEBHOOK_TIMEOUT: '4s',
  RATE_LIMIT_PER_MINUTE: '0',
  DENIED_CALLS_PER_MINUTE: '0',
  SHUTDOWN_GRACE: '5s',
  LOG_LEVEL: 'info',
}

/** Who makes first attempts in all stacks of a run: `npm test -- --direct` sets it. */
const firstAttempts = (): Record<string, string> => {
  const maker = process.env['TEST_FIRST_ATTEMPT']
  return maker === undefined ? {} : { DELIVERY_FIRST_ATTEMPT: maker }
}

export async function startStack({
  workers = 1,
  environment = {},
  mayLogErrors = false,
  database: createDatabase = createTestDatabase,
  dir: build = process.cwd(),
}: StackOptions = {}): Promise<Stack> {
  const database = await createDatabase()
  const signatures = watchSignatures()
  const certificate = await makeCertificate()
  const receiver = signatures.watched(await createReceiver({ ...certificate, onRequest: signatures.check }))
  const dir = await mkdtemp(path.join(tmpdir(), 'webhooks-stack-'))
  const caFile = path.join(dir, 'ca.pem')
  await writeFile(caFile, certificate.cert)
  const namespace = `t-${randomBytes(6).toString('hex')}`
  const address = requiredEnv('TEMPORAL_ADDRESS')
  const common: Record<string, string> = {
    ...FAST,
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    SECRETS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    WEBHOOK_CA_FILE: caFile,
    ...firstAttempts(),
    ...environment,
  }
  const connection = await Connection.connect({ address })
  const started: RunningProcess[] = []
  const start = async (kind: 'server' | 'worker', more: Record<string, string> = {}, from = build) => {
    const running = await startProcess(kind, { ...common, ...more }, { dir: from })
    started.push(running)
    return running
  }
  async function release(): Promise<void> {
    await Promise.all(started.map((running) => running.stop()))
    await connection.close()
    await receiver.close()
    await database.drop()
    await rm(dir, { recursive: true, force: true })
  }
  const starting = [start('server'), ...Array.from({ length: workers }, () => start('worker'))] as const
  await Promise.allSettled(starting)
  const [api, ...workerProcesses] = await Promise.all(starting).catch(async (error: unknown) => {
    await release()
    throw error
  })
  return {
    db: database.db,
    batchDb: database.batchDb,
    temporal: new Client({ connection, namespace }),
    receiver,
    certificate,
    api,
    workers: workerProcesses,
    environment: common,
    startWorker: (more, from) => start('worker', more, from),
    startApi: (more, from) => start('server', more, from),
    tenant: () => createTestTenant(database.db, api.url),
    async stop() {
      await release()
      signatures.expectAllVerified()
      if (!mayLogErrors) expectNoErrors(started)
    },
  }
}

/** The same stack, seen through another of its api processes. */
export const withApi = (stack: Stack, api: RunningProcess): Stack => ({
  ...stack,
  api,
  tenant: () => createTestTenant(stack.db, api.url),
})

function expectNoErrors(processes: readonly RunningProcess[]): void {
  const lines = processes.flatMap((running) => running.output().split('\n'))
  const errors = lines.filter(
    (line) =>
      /"level":"(error|fatal)"|"level":"warn".*"msg":"Workflow failed"/.test(line) ||
      (line !== '' && !line.startsWith('{')),
  )
  if (errors.length > 0) throw new Error(`a process logged errors:\n${errors.slice(0, 5).join('\n')}`)
}
