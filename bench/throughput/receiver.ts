import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { waitUntil } from '../../scripts/lib/ready.ts'
import { steadySeconds, sum, summarise } from '../support/figures.ts'
import { readMessages, sentAt } from './wire.ts'

/* The endpoints of the benchmark, in a process of its own: startChild(new URL('./receiver.ts', import.meta.url)). */

/**
 * hang: never answers; fail-first: 500 to the first request of each webhook-id; fail-fifth: the same for about every fifth of
 * them; uncounted: 200, and no figure counts the request.
 */
export type PathBehaviour = 'hang' | 'fail-first' | 'fail-fifth' | 'uncounted'

/** `behaviours`: by path; others answer 200 after the latency. */
type Plan = { readonly latencyMs?: number; readonly behaviours?: Readonly<Record<string, PathBehaviour>> }

/** How often `wait` looks. That is often enough: figures of a phase end with its last arrival, not with the look. */
const LOOK_MS = 10

let plan: Plan = {}
/** The webhook-ids of requests that were answered well, by path. */
let arrived = new Map<string, Set<string>>()
/** Path and webhook-id of the requests that were answered with 500. */
let failed = new Set<string>()
/** From sending to arrival, of each delivery's first good request. */
let milliseconds: number[] = []
/** Times: steady clock. */
let counts = { delivered: 0, duplicates: 0, firstAt: 0, lastAt: 0 }

/** Forgets what arrived, and behaves as planned from now on. */
export function reset(next: Plan): void {
  plan = next
  arrived = new Map()
  failed = new Set()
  milliseconds = []
  counts = { delivered: 0, duplicates: 0, firstAt: 0, lastAt: 0 }
}

/** Notes a request that is answered. @param request isGood: with 2xx */
export function add(request: { path: string; id: string; sentAt: number; isGood: boolean }): void {
  const { path, id, isGood } = request
  if (!isGood) return
  const ids = arrived.get(path) ?? new Set()
  arrived.set(path, ids)
  if (ids.has(id)) return void (counts.duplicates += 1)
  ids.add(id)
  counts.lastAt = steadySeconds()
  if (counts.delivered === 0) counts.firstAt = counts.lastAt
  counts.delivered += 1
  milliseconds.push((counts.lastAt - request.sentAt) * 1000)
}

/** Resolves once this many are delivered, or the time is over. */
export async function wait({ delivered, timeoutMs }: { delivered: number; timeoutMs: number }) {
  const isDone = () => counts.delivered >= delivered
  await waitUntil('', isDone, { timeoutMs, intervalMs: LOOK_MS }).catch(() => undefined)
}

export const figures = () => ({ ...counts, receivedMs: summarise(milliseconds) })

/** Counts the deliveries of accepted events that did not arrive. @param accepted each: endpoints that every event must have reached */
export function countMissing({ ids, each }: { ids: readonly string[]; each: number }): number {
  const paths = [...arrived.values()]
  return sum(ids.map((id) => Math.max(0, each - paths.filter((there) => there.has(id)).length)))
}

const answerOf = (status: string, body: string): Buffer =>
  Buffer.from(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
const GOOD = answerOf('200 OK', '{"ok":true}')
const BAD = answerOf('500 Internal Server Error', '{"ok":false}')

/** Chooses about a fifth of all ids by their last digits, which are hexadecimal and random. */
const isFifth = (id: string): boolean => Number.parseInt(id.slice(-4), 16) % 5 === 0

function receive(socket: TLSSocket, head: string, body: Buffer): void {
  const { latencyMs = 0, behaviours = {} } = plan
  const path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/1.1'))
  const id = /\r\nwebhook-id: *([^\r]+)/i.exec(head)?.[1] ?? 'none'
  const behaviour = behaviours[path]
  const failsFirst = behaviour === 'fail-first' || (behaviour === 'fail-fifth' && isFifth(id))
  const isGood = !failsFirst || failed.size === failed.add(`${path} ${id}`).size
  if (behaviour === 'hang') return
  if (behaviour !== 'uncounted') add({ path, id, sentAt: sentAt(body), isGood })
  const answer = () => void (socket.writable && socket.write(isGood ? GOOD : BAD))
  if (latencyMs > 0) setTimeout(answer, latencyMs)
  else answer()
}

/** Starts the server. Returns its port once it listens. */
export async function listen({ cert, key }: { cert: string; key: string }): Promise<number> {
  const server = createServer({ cert, key, noDelay: true }, (socket) =>
    readMessages(socket, (head, body) => receive(socket, head, body)),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}
