import type { Dispatcher } from 'undici'
import type { AttemptError, AttemptOutcome } from '../domain/delivery/outcome.ts'
import {
  locationText,
  responseText,
  STORED_BODY_BYTES,
  storedHeaders,
  type ParsedHeaders,
} from '../domain/delivery/kept-response.ts'
import type { Connection } from './connection-pool.ts'
import type { Deadline, StepClock } from './deadline.ts'
import { failureReason } from './failures.ts'

/** The request: the target in origin form, header names and values alternately, and the exact bytes of the body. */
type RequestBytes = { readonly path: string; readonly headers: string[]; readonly body: Buffer }

/** The connection was closed before a byte of an answer came, so the connection may have been dead before the request. */
export type DeadConnection = { readonly kind: 'dead'; readonly durationMs: number }

type Answered = Extract<AttemptOutcome, { kind: 'answered' }>

const MAXIMUM_BODY_BYTES = 65_536
/** At most this many informational answers (1xx) may come before the final answer. Honest servers send one or two. */
const MAXIMUM_INFORMATIONAL = 20
/** At most this many bytes, of any kind, may come before the final status line. */
const MAXIMUM_EARLY_BYTES = 65_536
/**
 * At most this many bytes, of any kind, may come in one exchange. This is more than 64 KiB, because the body may come
 * in very small chunks, each with its framing.
 */
const MAXIMUM_BYTES = 524_288

/**
 * Sends one POST over the connection and reads the answer. It follows no redirects and decompresses nothing. It reads
 * at most 20 informational answers and 64 KiB of body, and limits all other bytes too (blank lines, extensions of
 * chunks). It destroys the connection unless it read the whole answer.
 *
 * @param deadline the deadline of the whole attempt. The outcome's `durationMs` counts from the start of this deadline
 * @param steps records when the request is sent and when the first byte of an answer comes
 * @throws the error of undici when the request is not valid, which is our own fault
 */
export async function exchange(
  connection: Connection,
  request: RequestBytes,
  deadline: Deadline,
  steps: Pick<StepClock, 'sent' | 'answered'>,
): Promise<AttemptOutcome | DeadConnection> {
  const { signal } = deadline
  const reader = new ResponseReader(connection, deadline, steps)
  const expire = () => reader.expire()
  signal.addEventListener('abort', expire)
  try {
    if (signal.aborted) expire()
    else connection.client.dispatch({ ...request, method: 'POST' }, reader)
    const outcome = await reader.outcome
    if (outcome.kind !== 'answered' || outcome.error !== undefined) connection.socket.destroy()
    return outcome
  } catch (error) {
    connection.socket.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', expire)
    reader.stopCounting()
  }
}

/** Collects an answer as undici parses it. It keeps no more than is stored, however much the endpoint sends. */
class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #result = Promise.withResolvers<AttemptOutcome | DeadConnection>()
  readonly outcome = this.#result.promise
  readonly #connection: Connection
  readonly #deadline: Deadline
  readonly #steps: Pick<StepClock, 'sent' | 'answered'>
  /** True until the first byte of an answer comes. */
  #isUntouched = true
  #head: Pick<Answered, 'status' | 'retryAfter' | 'location' | 'headers'> | undefined
  #informational = 0
  #kept: Buffer[] = []
  #seenBytes = 0
  #bytesBefore = 0

  constructor(connection: Connection, deadline: Deadline, steps: Pick<StepClock, 'sent' | 'answered'>) {
    this.#connection = connection
    this.#deadline = deadline
    this.#steps = steps
  }

  /** undici also uses this method to recognise which of its two handler interfaces this class implements. */
  onRequestStart(): void {
    this.#steps.sent()
    this.#bytesBefore = this.#connection.socket.bytesRead
    // undici added its own listener earlier, so undici parses bytes before this listener counts them.
    this.#connection.socket.on('readable', this.#countBytes)
  }

  onResponseStarted(): void {
    if (this.#isUntouched) this.#steps.answered()
    this.#isUntouched = false
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ParsedHeaders): void {
    if (status < 200) {
      this.#countInformational(controller)
      return
    }
    const location = isRedirect(status) ? firstOf(headers['location']) : undefined
    this.#head = {
      status,
      retryAfter: firstOf(headers['retry-after']),
      headers: storedHeaders(headers),
      ...(location !== undefined && { location: locationText(location) }),
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = STORED_BODY_BYTES + 1 - this.#seenBytes
    // Copied, because a slice would keep alive the whole buffer that was read. We keep one byte more than we store, to
    // see that the body was cut.
    if (room > 0) this.#kept.push(Buffer.from(chunk.subarray(0, room)))
    this.#seenBytes += chunk.length
    if (this.#seenBytes <= MAXIMUM_BODY_BYTES) return
    this.#finish('body_too_large')
    controller.abort(new Error('The response body is larger than what is read.'))
  }

  onResponseEnd(): void {
    this.#finish()
  }

  stopCounting(): void {
    this.#connection.socket.off('readable', this.#countBytes)
  }

  readonly #countBytes = (): void => {
    const bytes = this.#connection.socket.bytesRead - this.#bytesBefore
    if (bytes <= (this.#head ? MAXIMUM_BYTES : MAXIMUM_EARLY_BYTES)) return
    if (this.#head) this.#finish('body_too_large')
    else this.#fail('protocol_error')
    this.#connection.socket.destroy()
  }

  /** HTTP allows any number of 1xx answers before the final one, but a flood of them would keep this process busy. */
  #countInformational(controller: Dispatcher.DispatchController): void {
    this.#informational += 1
    if (this.#informational <= MAXIMUM_INFORMATIONAL) return
    this.#fail('protocol_error')
    controller.abort(new Error('The endpoint sends informational answers without end.'))
  }

  onResponseError(_controller: unknown, error: Error): void {
    const reason = failureReason(this.#connection.firstError() ?? error, !this.#isUntouched)
    if (this.#head) this.#finish('body_cut')
    else if (reason === undefined) this.#result.reject(error)
    else if (reason === 'connection_reset' && this.#isUntouched)
      this.#result.resolve({ kind: 'dead', durationMs: this.#deadline.elapsedMs() })
    else this.#fail(reason)
  }

  /** Call it when the attempt's time is over. */
  expire(): void {
    if (this.#head) this.#finish('body_timeout')
    else this.#fail('response_timeout')
  }

  /**
   * Reports that no status line came. If `#fail` and `#finish` are both called, the first call counts, because a
   * promise settles once.
   */
  #fail(reason: AttemptError): void {
    this.#result.resolve({ kind: 'unreachable', reason, durationMs: this.#deadline.elapsedMs() })
  }

  /** Reports the answer, if a status line came. @param error what was wrong with the body */
  #finish(error?: AttemptError): void {
    if (!this.#head) return
    this.#result.resolve({
      kind: 'answered',
      ...this.#head,
      body: responseText(Buffer.concat(this.#kept)),
      durationMs: this.#deadline.elapsedMs(),
      ...(error === undefined ? {} : { error }),
    })
  }
}

const isRedirect = (status: number): boolean => status >= 300 && status <= 399

/** Returns the first value of a header that may have several values. */
const firstOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0]
