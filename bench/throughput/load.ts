import { setTimeout as sleep } from 'node:timers/promises'
import { steadySeconds, summarise } from '../support/figures.ts'
import { keepConnection } from './wire.ts'

/* Publishes events as it is told, in a process of its own: startChild(new URL('./load.ts', import.meta.url)). */

/** Connections of an open loop: enough that a due request waits only when the api is far behind. */
const OPEN_LOOP_CONNECTIONS = 128
/** Bytes of an event in the request. */
const EVENT_BYTES = 1024

/** What is published: with `perSecond` an open loop, otherwise as fast as `connections` can. */
export type Load = {
  readonly key: string
  /** Event types, which the requests take in turns. */
  readonly types: readonly string[]
  /** Of the apis on this machine. Connections are shared out over them. */
  readonly ports: readonly number[]
  /** How long new requests begin. */
  readonly seconds: number
  readonly connections: number
  readonly perSecond?: number
  /** Events, at most. */
  readonly count?: number
  /** Events of a request. */
  readonly batch?: number
}

/**
 * Publishes, and tells how the requests were answered. Times: seconds of the steady clock.
 *
 * @returns sent: when each accepted event was due, by its id; refused: requests by status, where 0 is a connection that ended
 */
export async function publish(load: Load) {
  const { key, types, ports, connections, perSecond, batch = 1 } = load
  const mixed = Array.from({ length: batch }, (_, n) => types[n % types.length] ?? '')
  // One for each event type, or a batch of all of them.
  const wanted = batch > 1 ? [mixed] : types.map((type) => [type])
  const requests = wanted.map((each) => publishRequest(key, each))
  const sent = new Map<string, number>()
  const milliseconds: number[] = []
  const refused: Record<string, number> = {}
  const send: Send = async (connection, turn, dueAt) => {
    const { status, body } = await connection.send(requests[turn % requests.length]!)
    if (status === 201) {
      milliseconds.push((steadySeconds() - dueAt) * 1000)
      for (const [, id = ''] of body.toString('latin1').matchAll(/"id":"([^"]+)"/g)) sent.set(id, dueAt)
    } else refused[status] = (refused[status] ?? 0) + 1
  }
  const length = perSecond === undefined ? connections : OPEN_LOOP_CONNECTIONS
  const all = Array.from({ length }, (_, n) => keepConnection(ports[n % ports.length] ?? 0))
  const startedAt = steadySeconds()
  await (perSecond === undefined ? inTurn : atRate)(load, all, send)
  for (const { close } of all) close()
  const answers = { requests: milliseconds.length, refused, answerMs: summarise(milliseconds) }
  return { ids: [...sent.keys()], sent, ...answers, startedAt, endedAt: steadySeconds() }
}

/** A request that publishes events of EVENT_BYTES bytes. @param types one for each event */
function publishRequest(key: string, types: readonly string[]): Buffer {
  const events = types.map((type) => {
    const text = (filler: string) => `{"event":"${type}","data":{"text":"${filler}"}}`
    return text('x'.repeat(EVENT_BYTES - text('').length))
  })
  const body = types.length > 1 ? `{"events":[${events.join(',')}]}` : (events[0] ?? '')
  const head = [
    'POST /api-v1-events HTTP/1.1',
    'host: 127.0.0.1',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1')
}

type Connection = ReturnType<typeof keepConnection>
/** Sends the request whose turn it is. Resolves once it is answered. */
type Send = (connection: Connection, turn: number, dueAt: number) => Promise<void>

/** Each connection sends its next request when the former one is answered. */
async function inTurn(load: Load, all: readonly Connection[], send: Send): Promise<void> {
  const { count = Infinity, batch = 1, seconds } = load
  const startedAt = steadySeconds()
  let left = count
  const run = async (connection: Connection, first: number) => {
    for (let turn = first; left > 0; turn++) {
      const begunAt = steadySeconds()
      if (begunAt - startedAt > seconds) return
      left -= batch
      await send(connection, turn, begunAt)
    }
  }
  await Promise.all(all.map(run))
}

/**
 * Sends at a fixed rate, whatever the answers take. A request that finds every connection busy waits, and its time counts
 * from when it was found due.
 */
async function atRate(load: Load, all: readonly Connection[], send: Send): Promise<void> {
  const { ports, perSecond = 0, seconds } = load
  const free = [...all]
  /** The apis take turns. An api gets its connection that became free last; if it has none (-1), any api does. */
  const take = (turn: number): Connection | undefined => {
    const at = free.findLastIndex(({ port }) => port === ports[turn % ports.length])
    return free.splice(at, 1)[0]
  }
  const waiting: ((idle: Connection) => void)[] = []
  const sendAt = async (turn: number, dueAt: number) => {
    const idle = take(turn) ?? (await new Promise<Connection>((resolve) => waiting.push(resolve)))
    await send(idle, turn, dueAt)
    const next = waiting.shift()
    if (next) next(idle)
    else free.push(idle)
  }
  const total = Math.round(perSecond * seconds)
  const sent: Promise<void>[] = []
  const startedAt = steadySeconds()
  while (sent.length < total) {
    const now = steadySeconds()
    while (sent.length < total && sent.length <= (now - startedAt) * perSecond)
      sent.push(sendAt(sent.length, now))
    await sleep(1)
  }
  await Promise.all(sent)
}
