import { texts } from './texts.ts'

/** The api refused the call. */
export class ApiRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | null
  /** After how many seconds the call may be repeated; null if the api does not say. */
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

/** No answer arrived, so nobody knows whether the api carried out the call. A repeat with the same idempotency key is safe. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super('The console got no answer.', { cause })
    this.name = 'ConnectionLost'
  }
}

/** Whether an error is the api's refusal with this code. */
export const isRefusal = (error: unknown, code: string): error is ApiRefusal =>
  error instanceof ApiRefusal && error.code === code

/** Reads a refusal. A proxy may answer with something that is not our JSON. Then only the status is known. */
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
