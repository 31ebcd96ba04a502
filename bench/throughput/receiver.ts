import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { waitUntil } from '../../scripts/lib/ready.ts'
import { steadySeconds, sum, summarise } from '../support/figures.ts'
import { MessageReader } from './connection.ts'
import { sentAt } from './requests.ts'

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

/** What arrived since the last reset: which webhook-id at which path, how often, and how long after it was sent. */
export class BenchArrivals {
  /** The webhook-ids of requests that were answered well, by path. */
  readonly #byPath = new Map<string, Set<string>>()
  /** From sending to arrival, of each delivery's first request. */
  readonly #milliseconds: number[] = []
  /** Times: steady clock. */
  readonly #counts = { delivered: 0, duplicates: 0, firstAt: 0, lastAt: 0 }

  /** @param request isGood: it is answered with 2xx */
  add({ path, id, sentAt, isGood }: { path: string; id: string; sentAt: number; isGood: boolean }): void {
    if (!isGood) return
    const counts = this.#counts
    const ids = this.#byPath.get(path) ?? new Set()
    this.#byPath.set(path, ids)
    if (ids.has(id)) return void (counts.duplicates += 1)
    ids.add(id)
    counts.lastAt = steadySeconds()
    if (counts.delivered === 0) counts.firstAt = counts.lastAt
    counts.delivered += 1
    this.#milliseconds.push((counts.lastAt - sentAt) * 1000)
  }

  /** Resolves once this many are delivered, or the time is over. */
  async wait({ delivered, timeoutMs }: { delivered: number; timeoutMs: number }): Promise<void> {
    const isDone = () => this.#counts.delivered >= delivered
    await waitUntil('', isDone, { timeoutMs, intervalMs: LOOK_MS }).catch(() => undefined)
  }

  figures() {
    return { ...this.#counts, receivedMs: summarise(this.#milliseconds) }
  }

  /** Counts the deliveries of accepted events that did not arrive. @param accepted each: endpoints that every event must have reached */
  countMissing({ ids, each }: { ids: readonly string[]; each: number }): number {
    const paths = [...this.#byPath.values()]
    return sum(ids.map((id) => Math.max(0, each - paths.filter((arrived) => arrived.has(id)).length)))
  }
}

const answerOf = (status: string, body: string): Buffer =>
  Buffer.from(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
const GOOD = answerOf('200 OK', '{"ok":true}')
const BAD = answerOf('500 Internal Server Error', '{"ok":false}')

let arrivals = new BenchArrivals()
let plan: Required<Plan> = { latencyMs: 0, behaviours: {} }
/** Path and webhook-id of the requests that were answered with 500. */
let failed = new Set<string>()

/** Chooses about a fifth of all ids by their last digits, which are hexadecimal and random. */
const isFifth = (id: string): boolean => Number.parseInt(id.slice(-4), 16) % 5 === 0

function receive(socket: TLSSocket, head: string, body: Buffer): void {
  const path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/1.1'))
  const id = /\r\nwebhook-id: *([^\r]+)/i.exec(head)?.[1] ?? 'none'
  const behaviour = plan.behaviours[path]
  const failsFirst = behaviour === 'fail-first' || (behaviour === 'fail-fifth' && isFifth(id))
  const isGood = !failsFirst || failed.size === failed.add(`${path} ${id}`).size
  if (behaviour === 'hang') return
  if (behaviour !== 'uncounted') arrivals.add({ path, id, sentAt: sentAt(body), isGood })
  const answer = () => void (socket.writable && socket.write(isGood ? GOOD : BAD))
  if (plan.latencyMs > 0) setTimeout(answer, plan.latencyMs)
  else answer()
}

export type Certificate = { readonly cert: string; readonly key: string }

/** Starts the server. Returns its port once it listens. */
export async function listen({ cert, key }: Certificate): Promise<number> {
  const server = createServer({ cert, key, noDelay: true }, (socket) => {
    const reader = new MessageReader((head, body) => receive(socket, head, body))
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => reader.read(chunk))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

export function reset({ latencyMs = 0, behaviours = {} }: Plan): void {
  arrivals = new BenchArrivals()
  plan = { latencyMs, behaviours }
  failed = new Set()
}

export const wait = (wanted: { delivered: number; timeoutMs: number }) => arrivals.wait(wanted)
export const figures = () => arrivals.figures()
export const countMissing = (accepted: { ids: string[]; each: number }) => arrivals.countMissing(accepted)
