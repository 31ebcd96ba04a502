import { steadySeconds, summarise } from '../support/figures.ts'
import { LoadConnection, type Answer } from './connection.ts'
import { keepRate, PublishRequest } from './requests.ts'

/* Publishes events as it is told, in a process of its own: startChild(new URL('./load.ts', import.meta.url)). */

/** Connections of an open loop: enough that a due request waits only when the api is far behind. */
const OPEN_LOOP_CONNECTIONS = 128

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

  result() {
    return {
      ids: this.#ids,
      requests: this.#milliseconds.length,
      /** Requests by status; 0 is a connection that ended. */
      refused: this.#refused,
      answerMs: summarise(this.#milliseconds),
      /** Steady clock. */
      startedAt: this.startedAt,
      endedAt: steadySeconds(),
    }
  }
}

/** Opens a connection, with the requests that it sends: one for each event type, or a batch of all of them in turns. */
function open({ ports, key, types, batch = 1 }: Load, turn: number) {
  const port = ports[turn % ports.length] ?? 0
  const mixed = Array.from({ length: batch }, (_, n) => types[n % types.length] ?? '')
  const each = batch > 1 ? [mixed] : types.map((type) => [type])
  const requests = each.map((wanted) => new PublishRequest(port, key, wanted))
  return { port, connection: new LoadConnection(port), requests }
}

export async function publish(load: Load) {
  const tally = new AnswerTally()
  const length = load.perSecond === undefined ? (load.connections ?? 1) : OPEN_LOOP_CONNECTIONS
  const all = Array.from({ length }, (_, n) => open(load, n))
  await (load.perSecond === undefined ? inTurn : atRate)(load, all, tally)
  for (const { connection } of all) connection.close()
  return tally.result()
}

type Open = ReturnType<typeof open>

/** Each connection sends its next request when the former one is answered. */
async function inTurn({ count, seconds }: Load, all: readonly Open[], tally: AnswerTally): Promise<void> {
  let left = count ?? Infinity
  const run = async ({ connection, requests }: Open, first: number) => {
    for (let turn = first; left > 0; turn++) {
      const begunAt = steadySeconds()
      if (begunAt - tally.startedAt > seconds) return
      const request = requests[turn % requests.length]!
      left -= request.events
      request.stamp(begunAt)
      tally.add(await connection.send(request.bytes), begunAt)
    }
  }
  await Promise.all(all.map(run))
}

/**
 * Sends at a fixed rate, whatever the answers take. A request that finds every connection busy waits, and its time counts
 * from when it was due.
 */
async function atRate(load: Load, all: readonly Open[], tally: AnswerTally): Promise<void> {
  const { ports, perSecond = 0, seconds } = load
  // The apis take turns. Each time an api gets the connection that became free last.
  const free = new Map(ports.map((port) => [port, all.filter((each) => each.port === port)]))
  const take = (turn: number) =>
    free.get(ports[turn % ports.length]!)?.pop() ?? [...free.values()].find(({ length }) => length > 0)?.pop()
  const waiting: ((idle: Open) => void)[] = []
  let sent = 0
  await keepRate(perSecond, seconds, async (dueAt) => {
    const idle = take(sent) ?? (await new Promise<Open>((resolve) => waiting.push(resolve)))
    const request = idle.requests[sent++ % idle.requests.length]!
    request.stamp(dueAt)
    tally.add(await idle.connection.send(request.bytes), dueAt)
    const next = waiting.shift()
    if (next) next(idle)
    else free.get(idle.port)?.push(idle)
  })
}
