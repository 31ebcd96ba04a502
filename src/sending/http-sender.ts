import type { AttemptOutcome } from '../domain/delivery/outcome.js'
import { WEBHOOK_USER_AGENT } from '../domain/webhook/headers.js'
import { checkWebhookUrl } from '../domain/webhook/url.js'
import { createAddressGuard, type GuardOptions } from './address-guard.js'
import { createConnectionPool, toConnection, type Connection } from './connection-pool.js'
import { startDeadline, within } from './deadline.js'
import { exchange, type Reading } from './response-reader.js'
import { UnreachableError } from './failure-reason.js'

/** A request that was signed just now. The sender's own headers replace those of the same name. */
export type PreparedRequest = { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer }

/**
 * Makes the request, or withdraws it by giving undefined. The sender calls it when a connection is ready,
 * `connectedAfterMs` after the attempt began. It calls again when an idle connection was dead and a new one is ready.
 */
type PrepareRequest = (connectedAfterMs: number) => Promise<PreparedRequest | undefined>

export type SendInput = {
  readonly webhookId: string
  readonly url: string
  readonly prepare: PrepareRequest
  /** Time that the caller has left for the attempt, in milliseconds. The sender's `timeoutMs` applies as well. */
  readonly withinMs: number
}

export type HttpSender = {
  /**
   * Makes one attempt.
   *
   * @throws our own faults: what `prepare` throws, an Error when `prepare` outlasts the attempt, and WorkerFault when
   *   this machine cannot connect
   */
  readonly send: (input: SendInput) => Promise<AttemptOutcome>
  /** Refuses further attempts. Resolves when the running ones are over and all connections are closed. */
  readonly close: () => Promise<void>
}

/** `timeoutMs` limits the whole attempt: resolving, connecting, preparing, sending and reading. */
export type SenderOptions = GuardOptions & {
  readonly timeoutMs: number
  /** Idle connections that are kept, of all webhooks together. */
  readonly maximumIdle?: number
}

const FIXED_HEADERS = {
  'content-type': 'application/json',
  'user-agent': WEBHOOK_USER_AGENT,
  'accept-encoding': 'identity',
}

/** Sends webhooks: POST over verified TLS to allowed addresses, with connections kept alive for each webhook. */
export function createHttpSender(options: SenderOptions): HttpSender {
  const guard = createAddressGuard(options)
  const pool = createConnectionPool(options.maximumIdle)
  const running = new Set<Promise<AttemptOutcome>>()
  let isClosed = false

  async function attempt(input: SendInput): Promise<AttemptOutcome> {
    if (input.withinMs <= 0) throw new Error('The caller left no time for the request.')
    const startedAtMs = performance.now()
    const elapsedMs = () => Math.round(performance.now() - startedAtMs)
    const deadline = startDeadline(Math.min(options.timeoutMs, input.withinMs))
    try {
      const reading = await deliver(input, deadline.signal, elapsedMs)
      return toOutcome(reading, elapsedMs())
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error
      return { kind: 'unreachable', reason: error.reason, durationMs: elapsedMs() }
    } finally {
      deadline.clear()
    }
  }

  /** Checks the URL again: the rules or the operator's exemptions may have changed since the webhook was created. */
  async function deliver(input: SendInput, signal: AbortSignal, elapsedMs: () => number) {
    const verdict = checkWebhookUrl(input.url, options.allowedNetworks)
    if (!verdict.ok) throw new UnreachableError('blocked_address')
    const { url } = verdict
    const key = `${input.webhookId} ${url.origin}`
    const idle = pool.take(key)
    if (idle) {
      const reading = await sendOver(idle)
      // The peer may have closed the connection just before. A repeat is safe: receivers drop repeats by webhook-id.
      if (!isDead(reading)) return reading
    }
    return sendOver(toConnection(url.origin, await guard.connect(url, signal)))

    async function sendOver(connection: Connection): Promise<Reading | undefined> {
      try {
        const prepared = await within(signal, input.prepare(elapsedMs()))
        if (!prepared) return undefined
        const headers = toHeaderList(prepared.headers)
        return await exchange(
          connection,
          { path: url.pathname + url.search, headers, body: prepared.body },
          signal,
        )
      } finally {
        pool.give(key, connection)
      }
    }
  }

  async function send(input: SendInput): Promise<AttemptOutcome> {
    if (isClosed) throw new Error('The sender is closed.')
    const sending = attempt(input)
    running.add(sending)
    return sending.finally(() => running.delete(sending))
  }

  async function close(): Promise<void> {
    isClosed = true
    pool.close()
    await Promise.allSettled(running)
  }

  return { send, close }
}

const isDead = (reading: Reading | undefined): boolean =>
  reading?.kind === 'failure' && reading.isUntouched && reading.reason === 'connection_reset'

function toOutcome(reading: Reading | undefined, durationMs: number): AttemptOutcome {
  if (!reading) return { kind: 'withdrawn' }
  if (reading.kind === 'failure') return { kind: 'unreachable', reason: reading.reason, durationMs }
  return { ...reading, kind: 'answered', durationMs }
}

/** Names and values alternately. The fixed headers come last and replace any of the same name. */
function toHeaderList(headers: Readonly<Record<string, string>>): string[] {
  const custom = Object.entries(headers).filter(([name]) => !Object.hasOwn(FIXED_HEADERS, name.toLowerCase()))
  return [...custom, ...Object.entries(FIXED_HEADERS)].flat()
}
