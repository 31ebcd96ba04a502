import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { createConnection } from 'mysql2/promise'
import { Agent, request } from 'undici'
import type { FloorResult } from '../floors.ts'
import { steadySeconds } from '../requests.ts'
import type { BareWorkflows } from './bare-workflows.ts'

/* What the parts do by themselves, each in a process of its own. */

/** Runs the work, which gives how often it did something. */
export async function clocked(work: () => Promise<number>): Promise<FloorResult> {
  const [startedAt, before] = [steadySeconds(), process.cpuUsage()]
  const count = await work()
  const elapsed = steadySeconds() - startedAt
  const cpu = process.cpuUsage(before)
  return { count, perSecond: count / elapsed, cpuSeconds: (cpu.user + cpu.system) / 1e6 }
}

/** Loads Temporal's worker, which is large, for this alone. */
export const runBareWorkflows = async (options: BareWorkflows): Promise<FloorResult> =>
  (await import('./bare-workflows.ts')).runBareWorkflows(options)

/** Runs loops side by side for so many seconds. Gives how often they went round. */
export async function goRound(loops: readonly (() => Promise<unknown>)[], seconds: number): Promise<number> {
  let count = 0
  const startedAt = steadySeconds()
  const loop = async (once: () => Promise<unknown>) => {
    for (; steadySeconds() - startedAt < seconds; count++) await once()
  }
  await Promise.all(loops.map(loop))
  return count
}

type Inserts = { readonly url: string; readonly seconds: number; readonly connections: number }

/** Inserts rows of 1 KB into a table of its own, each with a commit of its own, as fast as it can. */
export async function insertRows({ url, connections, seconds }: Inserts): Promise<FloorResult> {
  const opened = await Promise.all(Array.from({ length: connections }, () => createConnection(url)))
  await opened[0]!.query(`CREATE TABLE IF NOT EXISTS bench_rows (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, body BLOB NOT NULL) ENGINE=InnoDB`)
  const body = Buffer.alloc(1024, 'x')
  const inserts = opened.map((each) => () => each.query('INSERT INTO bench_rows (body) VALUES (?)', [body]))
  const done = await clocked(() => goRound(inserts, seconds))
  await opened[0]!.query('DROP TABLE bench_rows')
  return done
}

/** Serves what answers every publish with 201 and an id, and does nothing else. Gives the port. */
export async function serveKoa(): Promise<number> {
  const app = new Koa()
  app.silent = true
  let count = 0
  app.use(bodyParser()).use((ctx) => {
    const { event } = ctx.request.body as { event: string }
    ctx.status = 201
    ctx.body = { data: { id: `evt_${++count}`, event, created_at: new Date().toISOString(), deliveries: 1 } }
  })
  const server = createServer(app.callback()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** `perUrl`: requests at a time. */
type Posting = {
  readonly urls: readonly string[]
  readonly caFile: string
  readonly perUrl: number
  readonly seconds: number
}

/** Signs and posts events over kept TLS connections: what a delivery costs without database and Temporal. */
export function postSigned({ urls, caFile, perUrl, seconds }: Posting): Promise<FloorResult> {
  const connect = { ca: readFileSync(caFile, 'utf8') }
  const dispatcher = new Agent({ connect, connections: perUrl, pipelining: 1 })
  const secret = randomBytes(24)
  const text = Buffer.from(JSON.stringify({ event: 'contact.created', data: { text: 'x'.repeat(950) } }))
  const post = async (url: string) => {
    const [id, timestamp] = [randomUUID(), String(Math.floor(Date.now() / 1000))]
    const mac = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(text).digest('base64')
    const signature = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` }
    const headers = { 'content-type': 'application/json', ...signature }
    const { statusCode, body } = await request(url, { method: 'POST', body: text, headers, dispatcher })
    await body.dump()
    if (statusCode !== 200) throw new Error(`an endpoint answered ${statusCode}`)
  }
  const loops = urls.flatMap((url) => Array.from({ length: perUrl }, () => () => post(url)))
  return clocked(() => goRound(loops, seconds))
}
