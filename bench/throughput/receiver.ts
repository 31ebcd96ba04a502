import { createServer, type TLSSocket } from 'node:tls'
import { waitUntil } from '../../scripts/lib/ready.ts'
import { listenOnLoopback } from '../../test/support/loopback.ts'
import { steadySeconds, sum, summarise } from '../support/figures.ts'
import { readMessages } from './wire.ts'

/* The endpoints of the benchmark, in a process of its own: startChild(new URL('./receiver.ts', import.meta.url)). */

/**
 * hang: never answers; fail-first: 500 to the first request of each webhook-id; fail-fifth: the same for about every fifth of
 * them; uncounted: 200, and no figure counts the request.
 */
export type PathBehaviour = 'hang' | 'fail-first' | 'fail-fifth' | 'uncounted'

/** `behaviours`: by path; others answer 200 after the latency. */
type Plan = { readonly latencyMs?: number; readonly behaviours?: Readonly<Record<string, PathBehaviour>> }

const start = (plan: Plan) => ({
  plan,
  /** When each webhook-id came first that was answered well, by path. Times: seconds of the steady clock. */
  arrived: new Map<string, Map<string, number>>(),
  /** Path and webhook-id of the requests that were answered with 500. */
  failed: new Set<string>(),
  counts: { delivered: 0, duplicates: 0, firstAt: 0, lastAt: 0 },
})
let state = start({})

/** Forgets what arrived, and behaves as planned from now on. */
export function reset(plan: Plan): void {
  state = start(plan)
}

/** Notes a request that is answered. @param request isGood: with 2xx */
export function add({ path, id, isGood }: { path: string; id: string; isGood: boolean }): void {
  if (!isGood) return
  const { arrived, counts } = state
  const times = arrived.get(path) ?? new Map<string, number>()
  arrived.set(path, times)
  if (times.has(id)) return void (counts.duplicates += 1)
  counts.lastAt = steadySeconds()
  times.set(id, counts.lastAt)
  if (counts.delivered === 0) counts.firstAt = counts.lastAt
  counts.delivered += 1
}

/** Resolves once this many are delivered, or the time is over. */
export async function wait({ delivered, timeoutMs }: { delivered: number; timeoutMs: number }) {
  const isDone = () => state.counts.delivered >= delivered
  await waitUntil('', isDone, { timeoutMs }).catch(() => undefined)
}

/** What arrived, and how long after it was sent. @param sent when each event was sent, by its id */
export function figures(sent: ReadonlyMap<string, number> = new Map()) {
  const times = [...state.arrived.values()].flatMap((ofPath) => [...ofPath])
  const known = times.filter(([id]) => sent.has(id))
  const receivedMs = summarise(known.map(([id, at]) => (at - sent.get(id)!) * 1000))
  return { ...state.counts, receivedMs }
}

/** Counts the deliveries of accepted events that did not arrive. @param accepted each: endpoints that every event must reach */
export function countMissing({ ids, each }: { ids: readonly string[]; each: number }): number {
  const paths = [...state.arrived.values()]
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

function receive(socket: TLSSocket, head: string): void {
  const { failed, plan } = state
  const { latencyMs = 0, behaviours = {} } = plan
  const path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/1.1'))
  const id = /\r\nwebhook-id: *([^\r]+)/i.exec(head)?.[1] ?? 'none'
  const behaviour = behaviours[path]
  const failsFirst = behaviour === 'fail-first' || (behaviour === 'fail-fifth' && isFifth(id))
  const isGood = !failsFirst || failed.size === failed.add(`${path} ${id}`).size
  if (behaviour === 'hang') return
  if (behaviour !== 'uncounted') add({ path, id, isGood })
  const answer = () => void (socket.writable && socket.write(isGood ? GOOD : BAD))
  if (latencyMs > 0) setTimeout(answer, latencyMs)
  else answer()
}

/** Starts the server. Returns its port once it listens. */
export async function listen({ cert, key }: { cert: string; key: string }): Promise<number> {
  const server = createServer({ cert, key, noDelay: true }, (socket) =>
    readMessages(socket, (head) => receive(socket, head)),
  )
  const { port } = await listenOnLoopback(server)
  return port
}
