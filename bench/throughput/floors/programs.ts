import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { activityInfo } from '@temporalio/activity'
import { Client } from '@temporalio/client'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { createConnection } from 'mysql2/promise'
import { Agent, request } from 'undici'
import { newWebhookSecret, signatureHeaders } from '../../../src/domain/webhook/signing.ts'
import { listenOnLoopback } from '../../../test/support/loopback.ts'
import { steadySeconds } from '../../support/figures.ts'

/* What the parts do by themselves. A process prepares one of these programs, then runs its loops side by side. */

/** `env`: of the service; `urls`: of endpoints; `atOnce`: workflows, or connections to the database. */
type Settings = { readonly env: NodeJS.ProcessEnv; readonly urls: readonly string[]; readonly atOnce: number }

const POSTS_PER_URL = 10
const TASK_QUEUE = 'bench-floor'

let loops: readonly (() => Promise<unknown>)[] = []

/** Runs the loops for these seconds; `requests`: how often they went round. */
export async function runLoops(seconds: number) {
  let requests = 0
  const startedAt = steadySeconds()
  const run = async (once: () => Promise<unknown>) => {
    for (; steadySeconds() - startedAt < seconds; requests++) await once()
  }
  await Promise.all(loops.map(run))
  return { requests, startedAt, endedAt: steadySeconds() }
}

/** Runs workflows with one activity that does nothing, started eagerly like those of the service. A loop waits for the activity. */
export async function prepareWorkflows({ env, atOnce }: Settings): Promise<void> {
  // Temporal's worker is large, so only this program loads it.
  const { DefaultLogger, NativeConnection, Runtime, Worker } = await import('@temporalio/worker')
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] })
  const connection = await NativeConnection.connect({ address: env['TEMPORAL_ADDRESS'] ?? '' })
  const { workflow } = new Client({ connection })
  const done = new Map<string, () => void>()
  const nothing = () => Promise.resolve(done.get(activityInfo().workflowExecution?.workflowId ?? '')?.())
  const worker = await Worker.create({
    connection,
    taskQueue: TASK_QUEUE,
    workflowsPath: fileURLToPath(new URL('./workflow.ts', import.meta.url)),
    activities: { nothing },
    // The same as in src/process/temporal/worker.ts.
    maxConcurrentWorkflowTaskExecutions: 200,
    maxConcurrentActivityTaskExecutions: 400,
    maxCachedWorkflows: 500,
    maxEagerActivityReservationsPerWorkflowTask: 1,
  })
  void worker.run()
  let started = 0
  const runOne = async () => {
    const workflowId = `floor-${started++}`
    const ran = new Promise<void>((resolve) => done.set(workflowId, resolve))
    await workflow.start('bareWorkflow', { taskQueue: TASK_QUEUE, workflowId, requestEagerStart: true })
    await ran
    done.delete(workflowId)
  }
  loops = Array.from({ length: atOnce }, () => runOne)
}

/** Inserts rows of 1 KB into a table of its own, each with a commit of its own, as fast as it can. */
export async function prepareInserts({ env, atOnce }: Settings): Promise<void> {
  const url = env['DATABASE_URL'] ?? ''
  const opened = await Promise.all(Array.from({ length: atOnce }, () => createConnection(url)))
  await opened[0]!.query(`CREATE TABLE bench_rows (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, body BLOB NOT NULL) ENGINE=InnoDB`)
  const body = Buffer.alloc(1024, 'x')
  loops = opened.map((each) => () => each.query('INSERT INTO bench_rows (body) VALUES (?)', [body]))
}

/** Serves a Koa app that answers every publish with 201 and an id, and does nothing else. Returns the port. */
export async function serveKoa(): Promise<number> {
  const app = new Koa()
  app.silent = true
  let count = 0
  app.use(bodyParser()).use((ctx) => {
    const { event } = ctx.request.body as { event: string }
    ctx.status = 201
    ctx.body = { data: { id: `evt_${++count}`, event, created_at: new Date().toISOString(), deliveries: 1 } }
  })
  const { port } = await listenOnLoopback(createServer(app.callback()))
  return port
}

/** Signs and posts events over kept TLS connections: what a delivery costs without database and Temporal. */
export function preparePosts({ env, urls }: Settings): void {
  const connect = { ca: readFileSync(env['WEBHOOK_CA_FILE'] ?? '', 'utf8') }
  const dispatcher = new Agent({ connect, connections: POSTS_PER_URL, pipelining: 1 })
  const secret = newWebhookSecret()
  const text = Buffer.from(JSON.stringify({ event: 'contact.created', data: { text: 'x'.repeat(950) } }))
  const post = async (url: string) => {
    const timestampSeconds = Math.floor(Date.now() / 1000)
    const signature = signatureHeaders({ secret, id: randomUUID(), timestampSeconds, body: text })
    const headers = { 'content-type': 'application/json', ...signature }
    const { statusCode, body } = await request(url, { method: 'POST', body: text, headers, dispatcher })
    await body.dump()
    if (statusCode !== 200) throw new Error(`an endpoint answered ${statusCode}`)
  }
  loops = urls.flatMap((url) => Array.from({ length: POSTS_PER_URL }, () => () => post(url)))
}
