/** Every code of the public API, and its HTTP status. This is the only table: add a new code here. */
export const ERROR_STATUS = {
  VALIDATION_ERROR: 400,
  INVALID_REQUEST: 400,
  UNAUTHORIZED: 401,
  INVALID_API_KEY: 401,
  API_KEY_REVOKED: 401,
  API_KEY_EXPIRED: 401,
  API_KEY_DISABLED: 401,
  INSUFFICIENT_PERMISSIONS: 403,
  IP_NOT_ALLOWED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  CURSOR_EXPIRED: 410,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const

/** Further codes, which only the session API of the console uses. */
export const CONSOLE_ERROR_STATUS = {
  INVALID_CREDENTIALS: 401,
  SECOND_FACTOR_REQUIRED: 401,
  SECOND_FACTOR_LOCKED: 401,
  CSRF_TOKEN_INVALID: 403,
  REAUTHENTICATION_REQUIRED: 403,
  SECOND_FACTOR_SETUP_REQUIRED: 403,
} as const

const ALL_STATUS = { ...ERROR_STATUS, ...CONSOLE_ERROR_STATUS }

export type ErrorCode = keyof typeof ALL_STATUS

/** The HTTP status of a code. */
export const statusOf = (code: ErrorCode): number => ALL_STATUS[code]

/**
 * A refusal that the caller may read. The message is public. Details for us go into `cause`. `headers` are added to the
 * HTTP answer (Retry-After, Allow).
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; headers?: Record<string, string> } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return statusOf(this.code)
  }
}

/** The refusal of wrong input. */
export const invalid = (message: string, cause?: unknown): ApiError =>
  new ApiError('VALIDATION_ERROR', message, { cause })

/** The refusal of a request that the present state does not allow. */
export const invalidRequest = (message: string, cause?: unknown): ApiError =>
  new ApiError('INVALID_REQUEST', message, { cause })

/** The refusal of a request because of a limit, or because of another change. */
export const conflict = (message: string, cause?: unknown): ApiError =>
  new ApiError('CONFLICT', message, { cause })

/** The one answer to foreign, unknown and malformed ids, so that callers cannot tell them apart. */
export const notFound = (what: string): ApiError => new ApiError('NOT_FOUND', `${what} not found.`)

/** Returns what a query found. @throws ApiError NOT_FOUND if it found nothing */
export function orNotFound<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw notFound(what)
  return found
}

/** The answer to a method that the path does not support. `allow` is the Allow header, such as `GET, HEAD`. */
export const methodNotAllowed = (allow: string): ApiError =>
  new ApiError('METHOD_NOT_ALLOWED', 'The method is not allowed here.', { headers: { Allow: allow } })

/** A refusal that is temporary. @param afterMs after how many milliseconds to try again; it becomes the Retry-After header */
export const retryLater = (
  code: 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE' | 'CONFLICT',
  message: string,
  afterMs: number,
  cause?: unknown,
): ApiError => new ApiError(code, message, { cause, headers: retryAfter(afterMs) })

/** The Retry-After of a refusal, in whole seconds, at least one. */
export const retryAfter = (ms: number): { readonly 'Retry-After': string } => ({
  'Retry-After': String(Math.max(1, Math.ceil(ms / 1000))),
})
