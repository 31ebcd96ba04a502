import type { AttemptOutcome } from '../domain/delivery/outcome.ts'
import { FIXED_HEADERS } from '../domain/webhook/headers.ts'
import { checkWebhookUrl } from '../domain/webhook/url.ts'
import { WorkerFault, BlockedNameError, SilentEndpointError, UnreachableError } from './failures.ts'
import { createAddressGuard, type AddressGuard, type GuardOptions } from './address-guard.ts'
import { ConnectionPool, toConnection, type Connection } from './connection-pool.ts'
import { startDeadline, StepClock, within, type Deadline } from './deadline.ts'
import type { Egress } from './egress.ts'
import { exchange, type DeadConnection } from './response-reader.ts'

/** Where an attempt goes. */
export type Target = {
  readonly companyId: string
  readonly webhookId: string
  readonly url: string
  /** Milliseconds that the caller gives the attempt. The sender's `timeoutMs` applies as well. */
  readonly withinMs: number
}

/** A request that was signed just now. The sender's own headers replace headers of the same name. */
export type SignedRequest = { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer }

/**
 * Makes the request of an attempt when the connection is ready, so that the signature uses fresh rows. Returns
 * undefined when the attempt may not be sent.
 *
 * @param within waits for work that the request needs. Throws the error of the work. If the attempt's time ends first,
 *   it throws an Error, which is our own fault, and the work itself goes on
 */
export type Sign<Request extends SignedRequest | undefined> = (
  within: <T>(work: Promise<T>) => Promise<T>,
) => Request | Promise<Request>

/** `timeoutMs` limits the whole attempt: resolving, connecting, signing, sending and reading. */
export type SenderOptions = GuardOptions & {
  readonly egress: Egress
  readonly timeoutMs: number
  /** At most this many idle connections are kept, for all webhooks together. */
  readonly maximumIdle: number
}

/** One attempt under way: its URL, the key of its connections in the pool, its deadline and the times of its steps. */
type Underway = {
  readonly companyId: string
  readonly url: URL
  readonly key: string
  readonly deadline: Deadline
  readonly steps: StepClock
}

/** Means that there is no kept connection. The sender then opens a new connection, as after a dead one. */
const NONE_KEPT: DeadConnection = { kind: 'dead', durationMs: 0 }

/** Sends webhooks: POST over verified TLS to allowed addresses, with connections kept alive for each webhook. */
export class HttpSender {
  readonly #options: SenderOptions
  readonly #guard: AddressGuard
  readonly #pool: ConnectionPool
  #running = 0
  #isClosed = false
  readonly #closing: (() => void)[] = []

  constructor(options: SenderOptions) {
    this.#options = options
    this.#guard = createAddressGuard(options)
    this.#pool = new ConnectionPool(options.maximumIdle)
  }

  /**
   * Makes one attempt over a kept connection or a new one. If a kept connection proves to be dead, the sender signs again and
   * sends over a new connection within the same time. A repeat is safe, because receivers drop repeats by webhook-id. The
   * sender checks the URL again, because the rules or the operator's exemptions may have changed since the webhook was created.
   *
   * @returns the outcome of the attempt, or undefined when `sign` returned nothing to send
   * @throws our own faults: the error of `sign`; an error of undici when the request is not valid; WorkerFault when this
   *   machine cannot connect; an Error when the caller left no time, or the time was over before the request was sent
   */
  async send<Request extends SignedRequest | undefined>(
    { companyId, webhookId, url, withinMs }: Target,
    sign: Sign<Request>,
  ): Promise<AttemptOutcome | Extract<Request, undefined>> {
    if (this.#isClosed) throw new Error('The sender is closed.')
    if (withinMs <= 0) throw new Error('The caller left no time for the request.')
    const verdict = checkWebhookUrl(url, this.#options.allowedNetworks)
    if (!verdict.ok) return { kind: 'unreachable', reason: 'blocked_address', durationMs: 0 }
    const key = `${webhookId} ${verdict.url.origin}`
    const deadline = startDeadline(Math.min(this.#options.timeoutMs, withinMs))
    const underway = { companyId, url: verdict.url, key, deadline, steps: new StepClock() }
    this.#running += 1
    try {
      const kept = this.#pool.take(key)
      const first = kept ? await this.#sendOver(kept, underway, sign) : NONE_KEPT
      if (first?.kind !== 'dead') return first as AttemptOutcome | Extract<Request, undefined>
      const opened = await this.#open(underway)
      if ('kind' in opened) return opened
      const last = await this.#sendOver(opened, underway, sign)
      if (last?.kind !== 'dead') return last as AttemptOutcome | Extract<Request, undefined>
      const { durationMs } = last
      return { kind: 'unreachable', reason: 'connection_reset', durationMs, steps: underway.steps.read() }
    } finally {
      deadline.clear()
      this.#running -= 1
      if (this.#running === 0) for (const resolve of this.#closing.splice(0)) resolve()
    }
  }

  /** Refuses further attempts. Resolves when the running attempts are over and all connections are closed. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#pool.close()
    if (this.#running > 0) await new Promise<void>((resolve) => this.#closing.push(resolve))
  }

  /** @returns `dead` when the connection was closed before a byte of an answer came */
  async #sendOver(
    connection: Connection,
    { url, key, deadline, steps }: Underway,
    sign: Sign<SignedRequest | undefined>,
  ): Promise<AttemptOutcome | DeadConnection | undefined> {
    try {
      const request = await sign((work) => within(deadline.signal, work))
      if (request === undefined) return undefined
      deadline.signal.throwIfAborted()
      const { headers, body } = request
      const path = url.pathname + url.search
      const outcome = await exchange(
        connection,
        { path, headers: toHeaderList(headers), body },
        deadline,
        steps,
      )
      return outcome.kind === 'dead' ? outcome : { ...outcome, steps: steps.read() }
    } finally {
      this.#pool.give(key, connection)
    }
  }

  async #open({ companyId, url, deadline, steps }: Underway): Promise<Connection | AttemptOutcome> {
    try {
      return toConnection(url.origin, await this.#guard.connect(url, deadline.signal, { companyId, steps }))
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error
      const durationMs = deadline.elapsedMs()
      if (error instanceof SilentEndpointError && (await this.#options.egress.isDown(companyId)))
        throw new WorkerFault('network', { cause: error })
      const { reason } = error
      if (reason !== 'dns_error') return { kind: 'unreachable', reason, durationMs, steps: steps.read() }
      // Leave out all times, because they would show whether a name exists in our own network.
      const isBlocked = error instanceof BlockedNameError
      return { kind: 'unreachable', reason, durationMs: 0, ...(isBlocked && { isBlocked }) }
    }
  }
}

/** Returns names and values alternately. The fixed headers replace headers of the same name. */
function toHeaderList(headers: Readonly<Record<string, string>>): string[] {
  const custom = Object.entries(headers).filter(([name]) => !Object.hasOwn(FIXED_HEADERS, name.toLowerCase()))
  return [...custom, ...Object.entries(FIXED_HEADERS)].flat()
}
