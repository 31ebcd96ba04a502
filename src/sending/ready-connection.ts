import type { AttemptOutcome } from '../domain/delivery/outcome.ts'
import { FIXED_HEADERS } from '../domain/webhook/headers.ts'
import type { Connection } from './connection-pool.ts'
import { within } from './deadline.ts'
import type { Underway } from './http-sender.ts'
import { exchange, type DeadConnection } from './response-reader.ts'

/** A request that was signed just now. The sender's own headers replace those of the same name. */
export type SignedRequest = { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer }

/** The endpoint was not reached, so there is nothing to send over. */
export type Unreachable = Extract<AttemptOutcome, { kind: 'unreachable' }>

type Parts = Underway & {
  readonly connection: Connection
  /** The connection served a request before, so the peer may have closed it since. */
  readonly isKept: boolean
  /** Gives the connection back to the pool. */
  readonly giveBack: () => void
  /** Opens a new connection within the same attempt, which goes on. */
  readonly reopen: () => Promise<ReadyConnection | Unreachable>
  /** The attempt is over. */
  readonly end: () => void
}

/**
 * A connection that is ready for the one request of an attempt. The attempt's time runs since the sender began to
 * connect. Call `post` once. Whatever happens, call `release` at the end, because the sender waits for it when it closes.
 */
export class ReadyConnection {
  readonly kind = 'ready'
  readonly #parts: Parts
  #isGivenBack = false
  #isOver = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Waits for work that the request needs, as long as the attempt has time. The work itself goes on.
   *
   * @throws what the work throws; an Error when the work outlasts the attempt, which is our own fault
   */
  within<T>(work: Promise<T>): Promise<T> {
    return within(this.#parts.deadline.signal, work)
  }

  /**
   * Sends the request and reads the answer. `dead` means that a kept connection was closed before a byte of an answer
   * came. Then sign anew and post again over what `reconnect` gives.
   *
   * @throws our own faults: a request that cannot be put into bytes, or an attempt whose time was over before
   */
  async post({ headers, body }: SignedRequest): Promise<AttemptOutcome | DeadConnection> {
    const { url, connection, isKept, deadline, steps } = this.#parts
    deadline.signal.throwIfAborted()
    try {
      const path = url.pathname + url.search
      const request = { path, headers: toHeaderList(headers), body }
      const outcome = await exchange(connection, request, deadline, steps)
      if (outcome.kind !== 'dead') return { ...outcome, steps: steps.read() }
      if (isKept) return outcome
      const { durationMs } = outcome
      return { kind: 'unreachable', reason: 'connection_reset', durationMs, steps: steps.read() }
    } finally {
      this.#giveBack()
    }
  }

  /**
   * Opens a new connection in place of a dead one, within the same time. A new connection is never `dead`. The attempt
   * goes on with what this gives.
   *
   * @throws WorkerFault when this machine cannot connect
   */
  reconnect(): Promise<ReadyConnection | Unreachable> {
    this.#giveBack()
    this.#isOver = true
    return this.#parts.reopen()
  }

  /** Ends the attempt, whether or not a request was sent. A second call does nothing. */
  release(): void {
    this.#giveBack()
    if (!this.#isOver) this.#parts.end()
    this.#isOver = true
  }

  #giveBack(): void {
    if (!this.#isGivenBack) this.#parts.giveBack()
    this.#isGivenBack = true
  }
}

/**
 * Sends one request, and ends the attempt. If a kept connection proves to be dead, it sends over another one: receivers drop
 * repeats by webhook-id.
 *
 * @param sign makes the request, anew for each connection; undefined: nothing is to be sent
 * @returns what came of it; undefined when nothing was sent
 * @throws what `sign`, `post` and `reconnect` throw
 */
export async function sendOver<Request extends SignedRequest | undefined>(
  first: ReadyConnection | Unreachable,
  sign: (connection: ReadyConnection) => Request | Promise<Request>,
): Promise<AttemptOutcome | Extract<Request, undefined>> {
  let connection = first
  try {
    while (connection.kind === 'ready') {
      const request = await sign(connection)
      if (request === undefined) return request as Extract<Request, undefined>
      const outcome = await connection.post(request)
      if (outcome.kind !== 'dead') return outcome
      connection = await connection.reconnect()
    }
    return connection
  } finally {
    if (connection.kind === 'ready') connection.release()
  }
}

/** Names and values alternately. The fixed headers come last and replace any of the same name. */
function toHeaderList(headers: Readonly<Record<string, string>>): string[] {
  const custom = Object.entries(headers).filter(([name]) => !Object.hasOwn(FIXED_HEADERS, name.toLowerCase()))
  return [...custom, ...Object.entries(FIXED_HEADERS)].flat()
}
