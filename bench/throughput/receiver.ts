import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type TLSSocket } from 'node:tls'
import { BenchArrivals } from './arrivals.ts'
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

const answerOf = (status: string, body: string): Buffer =>
  Buffer.from(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
const GOOD = answerOf('200 OK', '{"ok":true}')
const BAD = answerOf('500 Internal Server Error', '{"ok":false}')

let arrivals = new BenchArrivals()
let plan: Required<Plan> = { latencyMs: 0, behaviours: {} }
/** Path and webhook-id of what was answered with 500. */
let failed = new Set<string>()

/** Whether an id, whose last digits are hexadecimal and random, is of a fifth of all ids. */
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

type Listening = { readonly port: number; readonly certFile: string; readonly keyFile: string }

/** Resolves once it listens. */
export async function listen({ port, certFile, keyFile }: Listening): Promise<void> {
  const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile), noDelay: true }
  const server = createServer(tls, (socket) => {
    const reader = new MessageReader((head, body) => receive(socket, head, body))
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => reader.read(chunk))
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
}

export function reset({ latencyMs = 0, behaviours = {} }: Plan): void {
  arrivals = new BenchArrivals()
  plan = { latencyMs, behaviours }
  failed = new Set()
}

export const wait = (wanted: { delivered: number; timeoutMs: number }) => arrivals.wait(wanted)
export const figures = () => arrivals.figures()
export const countMissing = (accepted: { ids: string[]; each: number }) => arrivals.countMissing(accepted)
