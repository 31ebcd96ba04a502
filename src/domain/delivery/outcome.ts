/** Why an attempt failed, or what was wrong with the body of an answered one. Our own short codes, stored as they are. */
export const ATTEMPT_ERRORS = [
  /** The host name did not resolve: no such name, no address, or its zone fails while the resolver answers for others. */
  'dns_error',
  /** The destination is not allowed: the URL breaks the rules or every address behind it is blocked. */
  'blocked_address',
  /** No TCP connection: refused, unreachable or reset before it stood. */
  'connect_error',
  /** TCP and TLS together took longer than allowed. */
  'connect_timeout',
  /** The TLS handshake failed: certificate not trusted, expired or for another name, or a version below 1.2. */
  'tls_error',
  /** The connection was closed or reset before a status line came. */
  'connection_reset',
  /** The attempt's time ended before a status line came. */
  'response_timeout',
  /** What came is not an HTTP/1.1 answer, or its header is too large. */
  'protocol_error',
  /** Answered, but the body went on beyond the bytes we read. */
  'body_too_large',
  /** Answered, but the body broke off or was not what its framing announced. */
  'body_cut',
  /** Answered, but the attempt's time ended before the body did. */
  'body_timeout',
] as const

export type AttemptError = (typeof ATTEMPT_ERRORS)[number]

/**
 * What came of one attempt. The endpoint's failure is data, ours is an exception.
 *
 * - `answered`: a final status line came; it alone decides success, whatever happened to the body (`error`). `body` is
 *   text of at most 16 KiB, `retryAfter` the header as received, `location` where a 3xx pointed to, as storable text.
 * - `unreachable`: no status line came.
 * - `withdrawn`: nothing was sent because the delivery was no longer due when the connection was ready.
 *
 * `durationMs` is the wall time of the whole attempt in whole milliseconds.
 */
export type AttemptOutcome =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly body: string
      readonly retryAfter: string | undefined
      readonly location?: string
      readonly durationMs: number
      readonly error?: AttemptError
    }
  | { readonly kind: 'unreachable'; readonly reason: AttemptError; readonly durationMs: number }
  | { readonly kind: 'withdrawn' }
