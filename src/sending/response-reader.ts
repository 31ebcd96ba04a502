import type { Dispatcher } from 'undici'
import type { AttemptError } from '../domain/delivery/outcome.js'
import { locationText, responseText, STORED_BODY_BYTES } from '../domain/delivery/response-text.js'
import type { Connection } from './connection-pool.js'
import { failureReason } from './failure-reason.js'

/** What is sent: the target in origin form, header names and values alternately, and the exact bytes of the body. */
export type RequestBytes = { readonly path: string; readonly headers: string[]; readonly body: Buffer }

/**
 * What came back. Once a final status line came it is a response, and `error` says what went wrong with its body.
 * `isUntouched`: not a byte of an answer came, so the connection may have been dead before.
 */
export type Reading =
  | {
      readonly kind: 'response'
      readonly status: number
      readonly body: string
      readonly retryAfter: string | undefined
      readonly location?: string
      readonly error?: AttemptError
    }
  | { readonly kind: 'failure'; readonly reason: AttemptError; readonly isUntouched: boolean }

const MAXIMUM_BODY_BYTES = 65_536
/** Informational answers (1xx) before the final one; honest servers send one or two. */
const MAXIMUM_INFORMATIONAL = 20
/** Bytes of any kind before the final status line. */
const MAXIMUM_EARLY_BYTES = 65_536
/** Bytes of any kind in all: 64 KiB of body may come in very small chunks, each with its framing. */
const MAXIMUM_BYTES = 524_288

/**
 * Sends one POST over the connection and reads the answer. It follows no redirects and decompresses nothing. It reads
 * at most 20 informational answers and 64 KiB of body, and limits all other bytes too (blank lines, extensions of
 * chunks). It destroys the connection unless it read the whole answer.
 *
 * @throws what undici throws for a request that cannot be put into bytes, which is our own fault
 */
export async function exchange(
  connection: Connection,
  request: RequestBytes,
  signal: AbortSignal,
): Promise<Reading> {
  const reader = new ResponseReader(connection)
  const expire = () => reader.expire()
  signal.addEventListener('abort', expire)
  try {
    if (signal.aborted) expire()
    else connection.client.dispatch({ ...request, method: 'POST' }, reader)
    const reading = await reader.reading
    if (reading.kind === 'failure' || reading.error !== undefined) connection.socket.destroy()
    return reading
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
  readonly reading: Promise<Reading>
  readonly #connection: Connection
  #resolve!: (reading: Reading) => void
  #reject!: (error: Error) => void
  #isUntouched = true
  #head: Pick<Extract<Reading, { kind: 'response' }>, 'status' | 'retryAfter' | 'location'> | undefined
  #informational = 0
  #kept: Buffer[] = []
  #seenBytes = 0
  #bytesBefore = 0

  constructor(connection: Connection) {
    this.#connection = connection
    this.reading = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** By this method undici also recognises which of its two handler interfaces this is. */
  onRequestStart(): void {
    this.#bytesBefore = this.#connection.socket.bytesRead
    // undici added its listener before this one, so it parses the bytes before they are counted.
    this.#connection.socket.on('readable', this.#countBytes)
  }

  onResponseStarted(): void {
    this.#isUntouched = false
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      this.#countInformational(controller)
      return
    }
    const location = isRedirect(status) ? firstOf(headers['location']) : undefined
    this.#head = {
      status,
      retryAfter: firstOf(headers['retry-after']),
      ...(location !== undefined && { location: locationText(location) }),
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = STORED_BODY_BYTES + 1 - this.#seenBytes
    // Copied, because a slice would keep the whole read buffer alive. One byte more than is stored shows a cut.
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
    else this.#resolve({ kind: 'failure', reason: 'protocol_error', isUntouched: false })
    this.#connection.socket.destroy()
  }

  /** Any number of 1xx answers may come before the final one. A flood of them would keep this process busy. */
  #countInformational(controller: Dispatcher.DispatchController): void {
    this.#informational += 1
    if (this.#informational <= MAXIMUM_INFORMATIONAL) return
    this.#resolve({ kind: 'failure', reason: 'protocol_error', isUntouched: false })
    controller.abort(new Error('The endpoint sends informational answers without end.'))
  }

  onResponseError(_controller: unknown, error: Error): void {
    const reason = failureReason(this.#connection.firstError() ?? error)
    if (this.#head) this.#finish('body_cut')
    else if (reason === undefined) this.#reject(error)
    else this.#resolve({ kind: 'failure', reason, isUntouched: this.#isUntouched })
  }

  /** The attempt's time is over. */
  expire(): void {
    if (this.#head) this.#finish('body_timeout')
    else this.#resolve({ kind: 'failure', reason: 'response_timeout', isUntouched: this.#isUntouched })
  }

  /** The first call counts: a promise settles once. */
  #finish(error?: AttemptError): void {
    if (!this.#head) return
    const body = responseText(Buffer.concat(this.#kept))
    this.#resolve({ kind: 'response', ...this.#head, body, ...(error === undefined ? {} : { error }) })
  }
}

const isRedirect = (status: number): boolean => status >= 300 && status <= 399

/** The first of the values that a header was sent with. */
const firstOf = (value: string | string[] | undefined): string | undefined => [value].flat()[0]
