import { NO_STEPS, type StepTimes } from '../domain/delivery/delivery.ts'
import { checkWebhookUrl } from '../domain/webhook/url.ts'
import { WorkerFault, BlockedNameError, SilentEndpointError, UnreachableError } from './failures.ts'
import { createAddressGuard, type AddressGuard, type GuardOptions } from './address-guard.ts'
import { ConnectionPool, toConnection, type Connection } from './connection-pool.ts'
import { startDeadline, type Deadline } from './deadline.ts'
import type { Egress } from './egress.ts'
import { ReadyConnection, type Unreachable } from './ready-connection.ts'

export type ConnectInput = {
  readonly companyId: string
  readonly webhookId: string
  readonly url: string
  /** How long the caller lets the attempt take, in milliseconds. The sender's `timeoutMs` applies as well. */
  readonly withinMs: number
}

/** `timeoutMs` limits the whole attempt: resolving, connecting, signing, sending and reading. */
export type SenderOptions = GuardOptions & {
  readonly egress: Egress
  readonly timeoutMs: number
  /** Idle connections that are kept, of all webhooks together. */
  readonly maximumIdle: number
}

/** One attempt under way: its URL, the key of its connections in the pool, its deadline and the times of its steps. */
export type Underway = {
  readonly companyId: string
  readonly url: URL
  readonly key: string
  readonly deadline: Deadline
  readonly steps: StepClock
}

/**
 * Sends webhooks: POST over verified TLS to allowed addresses, with connections kept alive for each webhook. An attempt
 * takes two calls, so that the caller can read its rows and sign when the connection is ready:
 *
 *     const connection = await sender.connect({ companyId, webhookId, url, withinMs })
 *     const outcome = await sendOver(connection, () => request)
 */
export class HttpSender {
  readonly #options: SenderOptions
  readonly #guard: AddressGuard
  readonly #pool: ConnectionPool
  /** Attempts between `connect` and their end. */
  #running = 0
  #isClosed = false
  readonly #closing: (() => void)[] = []

  constructor(options: SenderOptions) {
    this.#options = options
    this.#guard = createAddressGuard(options)
    this.#pool = new ConnectionPool(options.maximumIdle)
  }

  /**
   * Begins an attempt, and gives it a kept connection or a new one. Release a ready one, or the sender never closes.
   * The URL is checked again: the rules or the operator's exemptions may have changed since the webhook was created.
   *
   * @throws our own faults: WorkerFault when this machine cannot connect, an Error when the caller left no time
   */
  async connect(input: ConnectInput): Promise<ReadyConnection | Unreachable> {
    const { companyId, webhookId, url, withinMs } = input
    if (this.#isClosed) throw new Error('The sender is closed.')
    if (withinMs <= 0) throw new Error('The caller left no time for the request.')
    const verdict = checkWebhookUrl(url, this.#options.allowedNetworks)
    if (!verdict.ok) return { kind: 'unreachable', reason: 'blocked_address', durationMs: 0 }
    const key = `${webhookId} ${verdict.url.origin}`
    this.#running += 1
    const deadline = startDeadline(Math.min(this.#options.timeoutMs, withinMs))
    const underway = { companyId, url: verdict.url, key, deadline, steps: new StepClock() }
    const kept = this.#pool.take(key)
    return kept ? this.#ready(underway, kept, true) : this.#open(underway)
  }

  /** Refuses further attempts. Resolves when the running ones are over and all connections are closed. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#pool.close()
    if (this.#running > 0) await new Promise<void>((resolve) => this.#closing.push(resolve))
  }

  async #open(underway: Underway): Promise<ReadyConnection | Unreachable> {
    const { companyId, url, deadline, steps } = underway
    try {
      const socket = await this.#guard.connect(url, deadline.signal, { companyId, steps })
      return this.#ready(underway, toConnection(url.origin, socket), false)
    } catch (error) {
      this.#end(deadline)
      if (!(error instanceof UnreachableError)) throw error
      const durationMs = deadline.elapsedMs()
      if (error instanceof SilentEndpointError && (await this.#options.egress.isDown(companyId)))
        throw new WorkerFault('network', { cause: error })
      const { reason } = error
      if (reason !== 'dns_error') return { kind: 'unreachable', reason, durationMs, steps: steps.read() }
      // No times: they would show whether a name exists in our own network.
      const isBlocked = error instanceof BlockedNameError
      return { kind: 'unreachable', reason, durationMs: 0, ...(isBlocked && { isBlocked }) }
    }
  }

  #ready(underway: Underway, connection: Connection, isKept: boolean): ReadyConnection {
    return new ReadyConnection({
      ...underway,
      connection,
      isKept,
      giveBack: () => this.#pool.give(underway.key, connection),
      reopen: () => this.#open(underway),
      end: () => this.#end(underway.deadline),
    })
  }

  #end(deadline: Deadline): void {
    deadline.clear()
    this.#running -= 1
    if (this.#running === 0) for (const resolve of this.#closing.splice(0)) resolve()
  }
}

type Step = keyof StepTimes

/**
 * Measures the steps of one attempt. If a new connection replaces a dead kept one, these are the times of the new one,
 * because only there the steps were made.
 */
export class StepClock {
  readonly #times: { -readonly [step in Step]: StepTimes[step] } = { ...NO_STEPS }
  #sentAtMs = 0

  /** Runs a step and measures it, up to its failure if it fails. */
  async measure<T>(step: Exclude<Step, 'firstByteMs'>, work: () => Promise<T>): Promise<T> {
    const startedAtMs = performance.now()
    try {
      return await work()
    } finally {
      this.#times[step] = sinceMs(startedAtMs)
    }
  }

  /** Call it when the request is sent. */
  sent(): void {
    this.#sentAtMs = performance.now()
  }

  /** Call it when the first byte of an answer has come. */
  answered(): void {
    this.#times.firstByteMs = sinceMs(this.#sentAtMs)
  }

  read(): StepTimes {
    return { ...this.#times }
  }
}

const sinceMs = (startedAtMs: number): number => Math.round(performance.now() - startedAtMs)
