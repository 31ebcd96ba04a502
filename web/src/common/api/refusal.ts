import { texts } from './texts.ts'

/** The api answered, and the answer was no. */
export class ApiRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | null
  /** When the call may be repeated, in seconds; null where the api does not say. */
  readonly retryAfterSeconds: number | null

  constructor(refusal: {
    readonly status: number
    readonly code: string
    readonly message: string
    readonly requestId: string | null
    readonly retryAfterSeconds: number | null
  }) {
    super(refusal.message)
    this.name = 'ApiRefusal'
    this.status = refusal.status
    this.code = refusal.code
    this.requestId = refusal.requestId
    this.retryAfterSeconds = refusal.retryAfterSeconds
  }
}

/** No answer came: whether the api did what was asked is unknown. The same idempotency key makes a repeat safe. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super('The console got no answer.', { cause })
    this.name = 'ConnectionLost'
  }
}

/** Whether an error is the api's refusal with this code. */
export const isRefusal = (error: unknown, code: string): error is ApiRefusal =>
  error instanceof ApiRefusal && error.code === code

/**
 * Reads the answer of a refusal. A proxy in between may answer something that is not our JSON: its status is all there is.
 */
export async function readRefusal(response: Response): Promise<ApiRefusal> {
  const { status, headers } = response
  const body = (await response.json().catch(() => undefined)) as
    | { error?: { code?: string; message?: string } }
    | undefined
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN)
  return new ApiRefusal({
    status,
    code: body?.error?.code ?? 'UNKNOWN',
    message: body?.error?.message ?? texts.noReason({ status: String(status) }),
    requestId: headers.get('X-Request-Id'),
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : null,
  })
}
