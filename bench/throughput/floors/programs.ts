import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { createConnection } from 'mysql2/promise'
import { Agent, request } from 'undici'
import { newWebhookSecret, signatureHeaders } from '../../../src/domain/webhook/signing.ts'
import { steadySeconds } from '../../support/figures.ts'

/* What the parts do by themselves. A process prepares one of these programs, then runs its loops side by side. */

let loops: readonly (() => Promise<unknown>)[] = []

const repeat = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value)

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

type Workflows = { readonly address: string; readonly inFlight: number }

export async function prepareWorkflows({ address, inFlight }: Workflows): Promise<void> {
  // Temporal's worker is large, so only this program loads it.
  const { startBareWorkflows } = await import('./bare-workflows.ts')
  loops = repeat(inFlight, await startBareWorkflows(address))
}

type Inserts = { readonly url: string; readonly connections: number }

/** Inserts rows of 1 KB into a table of its own, each with a commit of its own, as fast as it can. */
export async function prepareInserts({ url, connections }: Inserts): Promise<void> {
  const opened = await Promise.all(Array.from({ length: connections }, () => createConnection(url)))
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
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** `perUrl`: requests at a time. */
type Posting = { readonly urls: readonly string[]; readonly caFile: string; readonly perUrl: number }

/** Signs and posts events over kept TLS connections: what a delivery costs without database and Temporal. */
export function preparePosts({ urls, caFile, perUrl }: Posting): void {
  const connect = { ca: readFileSync(caFile, 'utf8') }
  const dispatcher = new Agent({ connect, connections: perUrl, pipelining: 1 })
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
  loops = repeat(perUrl, urls)
    .flat()
    .map((url) => () => post(url))
}
