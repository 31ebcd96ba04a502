import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import { isUnavailable } from '../../operations/database-faults.ts'
import type { Deps } from '../../deps/deps.ts'
import { ApiError, retryLater, statusOf, type ErrorCode } from '../../domain/errors.ts'
import type { State } from '../auth/caller.ts'
import { BODY_TOO_LARGE } from '../edge/body-limits.ts'

/** By the specification the body of an error has exactly a code and a message. */
const envelope = (code: ErrorCode, message: string) => ({ error: { code, message } })

/** The envelope of any thrown value. It never contains the cause. */
export function envelopeOf(error: unknown) {
  const { code, message } = toApiError(error)
  return envelope(code, message)
}

/** The code and message of an error that Koa and its packages throw with only a status. */
const BY_STATUS: Readonly<Record<number, [ErrorCode, string]>> = {
  404: ['NOT_FOUND', 'Not found.'],
  405: ['METHOD_NOT_ALLOWED', 'The method is not allowed here.'],
  408: ['REQUEST_TIMEOUT', 'The request took too long to arrive.'],
  413: ['PAYLOAD_TOO_LARGE', BODY_TOO_LARGE],
  415: ['UNSUPPORTED_MEDIA_TYPE', 'The request body must be application/json.'],
}

/**
 * The one place that turns errors into HTTP answers: refusals with their own status, a lost database as 503, and all other
 * errors as 500.
 */
export const errorEnvelope =
  ({ log }: Deps): Middleware<State> =>
  async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const refusal = toApiError(error)
      const { requestId, traceId } = ctx.state
      const detail = { err: refusal.cause ?? refusal, request_id: requestId, trace_id: traceId }
      if (refusal.code === 'INTERNAL_ERROR') log.error(detail, refusal.message)
      else if (refusal.status >= 500) log.warn(detail, refusal.message)
      ctx.status = refusal.status
      ctx.set(refusal.headers)
      ctx.set('Cache-Control', 'no-store')
      ctx.body = envelope(refusal.code, refusal.message)
    }
  }

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isUnavailable(error)) {
    return retryLater('SERVICE_UNAVAILABLE', 'The service is not available at the moment.', 5_000, error)
  }
  const status = (error as { status?: unknown } | null)?.status
  if (typeof status === 'number' && status >= 400 && status < 500) {
    const [code, message] = BY_STATUS[status] ?? ['VALIDATION_ERROR', 'The request is not valid.']
    return new ApiError(code, message, { cause: error })
  }
  return new ApiError('INTERNAL_ERROR', 'The request failed because of a fault of the service.', {
    cause: error,
  })
}

/** The answer to a request that is refused before any middleware runs. It ends the connection. */
export function bareAnswer(code: ErrorCode, message: string) {
  const body = JSON.stringify(envelope(code, message))
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': randomUUID(),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Connection: 'close',
  }
  return { status: statusOf(code), headers, body }
}

/** A minimal HTTP answer as text, for bytes that Node cannot read as a request. */
export function rawAnswer(code: ErrorCode, message: string): string {
  const { status, headers, body } = bareAnswer(code, message)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${code}`, ...lines, '', body].join('\r\n')
}
