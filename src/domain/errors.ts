/** Every code the service answers with, and its HTTP status. The one table: a new code is added here. */
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
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/**
 * A refusal that the caller may read. The message is public; details for us go in `cause`.
 * `headers` are added to the HTTP answer (Retry-After, Allow).
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
    return ERROR_STATUS[this.code]
  }
}

/** The one answer for a foreign, unknown or malformed id, so that callers cannot tell them apart. */
export const notFound = (what: string): ApiError => new ApiError('NOT_FOUND', `${what} not found.`)

/** The answer to a method that the path does not have. `allow` is the Allow header, such as `GET, HEAD`. */
export const methodNotAllowed = (allow: string): ApiError =>
  new ApiError('METHOD_NOT_ALLOWED', 'The method is not allowed here.', { headers: { Allow: allow } })
