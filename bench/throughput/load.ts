import { setTimeout as sleep } from 'node:timers/promises'
import { steadySeconds, summarise } from '../support/figures.ts'
import { keepConnection, publishRequest } from './wire.ts'

/* Publishes events as it is told, in a process of its own: startChild(new URL('./load.ts', import.meta.url)). */

/** Connections of an open loop: enough that a due request waits only when the api is far behind. */
const OPEN_LOOP_CONNECTIONS = 128
/** How often an open loop looks whether something is due. */
const LOOK_EVERY_MS = 1

/** What is published: with `perSecond` an open loop, otherwise as fast as `connections` can. */
export type Publishing = {
  /** Event types, which the requests take in turns. */
  readonly types: readonly string[]
  /** How long new requests begin. */
  readonly seconds: number
  readonly perSecond?: number
  readonly connections?: number
  /** Events, at most. */
  readonly count?: number
  /** Events of a request. */
  readonly batch?: number
  /** Of the apis on this machine. Connections are shared out over them. */
  readonly ports?: readonly number[]
}

type Load = Publishing & { readonly ports: readonly number[]; readonly key: string }

/** Publishes, and returns the ids of the accepted events, and how the requests were answered. Times: steady clock. */
export async function publish(load: Load) {
  const { ports, key, types, batch = 1, connections = 1, perSecond } = load
  const ids: string[] = []
  const milliseconds: number[] = []
  /** Requests by status; 0 is a connection that ended. */
  const refused: Record<string, number> = {}

  /** Opens a connection, with the requests that it sends: one for each event type, or a batch of all of them in turns. */
  function open(port: number) {
    const { send, close } = keepConnection(port)
    const mixed = Array.from({ length: batch }, (_, n) => types[n % types.length] ?? '')
    const each = batch > 1 ? [mixed] : types.map((type) => [type])
    const requests = each.map((wanted) => publishRequest(port, key, wanted))
    const sendNext = async (turn: number, dueAt: number): Promise<void> => {
      const { bytes, stamp } = requests[turn % requests.length]!
      stamp(dueAt)
      const { status, body } = await send(bytes)
      if (status !== 201) {
        refused[status] = (refused[status] ?? 0) + 1
        return
      }
      milliseconds.push((steadySeconds() - dueAt) * 1000)
      for (const [, id = ''] of body.toString('latin1').matchAll(/"id":"([^"]+)"/g)) ids.push(id)
    }
    return { port, sendNext, close }
  }

  const length = perSecond === undefined ? connections : OPEN_LOOP_CONNECTIONS
  const all = Array.from({ length }, (_, n) => open(ports[n % ports.length] ?? 0))
  const startedAt = steadySeconds()
  await (perSecond === undefined ? inTurn(load, all, startedAt) : atRate(load, all, startedAt))
  for (const { close } of all) close()
  const [requests, answerMs] = [milliseconds.length, summarise(milliseconds)]
  return { ids, requests, refused, answerMs, startedAt, endedAt: steadySeconds() }
}

/** A connection. `sendNext` sends the request whose turn it is, and resolves once it is answered. */
type Open = {
  readonly port: number
  readonly sendNext: (turn: number, dueAt: number) => Promise<void>
}

/** Each connection sends its next request when the former one is answered. */
async function inTurn(load: Load, all: readonly Open[], startedAt: number): Promise<void> {
  const { count = Infinity, batch = 1, seconds } = load
  let left = count
  const run = async ({ sendNext }: Open, first: number) => {
    for (let turn = first; left > 0; turn++) {
      const begunAt = steadySeconds()
      if (begunAt - startedAt > seconds) return
      left -= batch
      await sendNext(turn, begunAt)
    }
  }
  await Promise.all(all.map(run))
}

/**
 * Sends at a fixed rate, whatever the answers take. A request that finds every connection busy waits, and its time counts
 * from when it was found due.
 */
async function atRate(load: Load, all: readonly Open[], startedAt: number): Promise<void> {
  const { ports, perSecond = 0, seconds } = load
  // The apis take turns. Each time an api gets the connection that became free last.
  const free = new Map(ports.map((port) => [port, all.filter((each) => each.port === port)]))
  const take = (turn: number) =>
    free.get(ports[turn % ports.length]!)?.pop() ?? [...free.values()].find(({ length }) => length > 0)?.pop()
  const waiting: ((idle: Open) => void)[] = []
  const sendAt = async (turn: number, dueAt: number) => {
    const idle = take(turn) ?? (await new Promise<Open>((resolve) => waiting.push(resolve)))
    await idle.sendNext(turn, dueAt)
    const next = waiting.shift()
    if (next) next(idle)
    else free.get(idle.port)?.push(idle)
  }
  const total = Math.round(perSecond * seconds)
  const sent: Promise<void>[] = []
  while (sent.length < total) {
    const now = steadySeconds()
    while (sent.length < total && sent.length <= (now - startedAt) * perSecond)
      sent.push(sendAt(sent.length, now))
    await sleep(LOOK_EVERY_MS)
  }
  await Promise.all(sent)
}
