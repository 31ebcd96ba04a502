import { summarise, type Times } from '../support/figures.ts'
import { LoadConnection, type Answer } from './connection.ts'
import { keepRate, PublishRequest, steadySeconds } from './requests.ts'

/* Publishes events as it is told, in a process of its own: startChild(new URL('./load.ts', import.meta.url)). */

/** Connections of an open loop: enough that a due request waits only when the api is far behind. */
const OPEN_LOOP_CONNECTIONS = 128

/** What is published: an open loop with `perSecond`, else as fast as so many connections can. */
export type Publishing = {
  /** Event types, which the requests take in turns. */
  readonly types: readonly string[]
  /** The latest time to begin a request; in an open loop how long it publishes. */
  readonly seconds: number
  readonly perSecond?: number
  readonly connections?: number
  /** Events, at most. */
  readonly count?: number
  /** Events of a request. */
  readonly batch?: number
}

type Load = Publishing & {
  /** Of the apis on this machine. Connections are shared out over them. */
  readonly ports: readonly number[]
  readonly key: string
}

/** `startedAt`, `endedAt`: steady clock; `refused`: requests by status, 0 is a connection that ended. */
export type LoadResult = {
  readonly ids: string[]
  readonly requests: number
  readonly refused: Readonly<Record<string, number>>
  readonly answerMs: Times
  readonly startedAt: number
  readonly endedAt: number
}

/** The requests that a connection sends: one for each event type, or a batch of all of them in turns. */
function requestsFor({ key, types }: Load, port: number, batch = 1): PublishRequest[] {
  const build = (wanted: readonly string[]) =>
    new PublishRequest({ host: `127.0.0.1:${port}`, key, types: wanted })
  if (batch > 1) return [build(Array.from({ length: batch }, (_, n) => types[n % types.length] ?? ''))]
  return types.map((type) => build([type]))
}

const portFor = ({ ports }: Load, turn: number): number => ports[turn % ports.length] ?? 0

/** Counts the answers to publishes, and remembers the ids of the events that were accepted. */
class AnswerTally {
  readonly #ids: string[] = []
  readonly #milliseconds: number[] = []
  readonly #refused: Record<string, number> = {}
  readonly startedAt = steadySeconds()

  add({ status, body }: Answer, dueAt: number): void {
    if (status !== 201) {
      this.#refused[status] = (this.#refused[status] ?? 0) + 1
      return
    }
    this.#milliseconds.push((steadySeconds() - dueAt) * 1000)
    for (const [, id = ''] of body.toString('latin1').matchAll(/"id":"([^"]+)"/g)) this.#ids.push(id)
  }

  result(): LoadResult {
    const { startedAt } = this
    const answerMs = summarise(this.#milliseconds)
    const answers = { ids: this.#ids, requests: this.#milliseconds.length, refused: this.#refused, answerMs }
    return { ...answers, startedAt, endedAt: steadySeconds() }
  }
}

export const publish = ({ perSecond, ...load }: Load): Promise<LoadResult> =>
  perSecond === undefined ? publishInTurn(load) : publishAtRate(load, perSecond)

/** Each connection sends its next request when the former one is answered. */
async function publishInTurn(load: Load): Promise<LoadResult> {
  const tally = new AnswerTally()
  let left = load.count ?? Infinity
  const run = (first: number) =>
    new Promise<void>((resolve) => {
      const port = portFor(load, first)
      const connection = new LoadConnection(port)
      const requests = requestsFor(load, port, load.batch)
      const next = (turn: number) => {
        const begunAt = steadySeconds()
        const request = requests[turn % requests.length]
        if (left <= 0 || begunAt - tally.startedAt > load.seconds || !request) {
          connection.close()
          resolve()
          return
        }
        left -= request.events
        request.stamp(begunAt)
        connection.send(request.bytes, (answer) => {
          tally.add(answer, begunAt)
          next(turn + 1)
        })
      }
      next(first)
    })
  await Promise.all(Array.from({ length: load.connections ?? 1 }, (_, n) => run(n)))
  return tally.result()
}

/**
 * Sends at a fixed rate, whatever the answers take. A request that finds every connection busy waits, and its time counts
 * from when it was due.
 */
async function publishAtRate(load: Load, perSecond: number): Promise<LoadResult> {
  const tally = new AnswerTally()
  const all = Array.from({ length: OPEN_LOOP_CONNECTIONS }, (_, n) => {
    const port = portFor(load, n)
    return { port, connection: new LoadConnection(port), requests: requestsFor(load, port) }
  })
  // The apis take turns; one connection of each is used for as long as it is free.
  const free = new Map(load.ports.map((port) => [port, all.filter((each) => each.port === port)]))
  const take = () =>
    free.get(portFor(load, sent))?.pop() ?? [...free.values()].find(({ length }) => length > 0)?.pop()
  const waiting: number[] = []
  let sent = 0
  let answered = 0
  await new Promise<void>((resolve) => {
    const send = (dueAt: number) => {
      const idle = take()
      const request = idle?.requests[sent % idle.requests.length]
      if (!idle || !request) return void waiting.push(dueAt)
      sent += 1
      request.stamp(dueAt)
      idle.connection.send(request.bytes, (answer) => {
        tally.add(answer, dueAt)
        free.get(idle.port)?.push(idle)
        const next = waiting.shift()
        if (next !== undefined) send(next)
        if (++answered === total) resolve()
      })
    }
    const total = keepRate(perSecond, load.seconds, send)
  })
  for (const { connection } of all) connection.close()
  return tally.result()
}
