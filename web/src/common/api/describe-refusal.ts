import { ApiRefusal, ConnectionLost } from './refusal.ts'
import { texts } from './texts.ts'

/** What a person reads about a refusal, and what they can do about it. */
type Description = {
  readonly title: string
  readonly message: string
  /** Shown so that the user can tell it to the operator. */
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null
}

const TITLES: Readonly<Record<string, string>> = {
  VALIDATION_ERROR: texts.correctTheForm,
  INVALID_REQUEST: texts.notPossibleNow,
  INVALID_CREDENTIALS: texts.didNotMatch,
  SECOND_FACTOR_LOCKED: texts.secondFactorLocked,
  UNAUTHORIZED: texts.signedOut,
  OTHER_USER: texts.somebodyElseSignedIn,
  CSRF_TOKEN_INVALID: texts.pageOutOfDate,
  REAUTHENTICATION_REQUIRED: texts.passwordNeeded,
  INSUFFICIENT_PERMISSIONS: texts.roleForbids,
  NOT_FOUND: texts.notFound,
  CONFLICT: texts.conflict,
  PRECONDITION_FAILED: texts.changedMeanwhile,
  RATE_LIMITED: texts.tooManyRequests,
  SERVICE_UNAVAILABLE: texts.serviceNotReady,
}

/** Describes a failure in plain words. An error of unknown type is a fault of the console itself. */
export function describeRefusal(error: unknown): Description {
  if (error instanceof ConnectionLost) {
    return {
      title: texts.noConnection,
      message: texts.noAnswer,
      requestId: null,
      retryAfterSeconds: null,
    }
  }
  if (error instanceof ApiRefusal) {
    const { code, message, status, requestId, retryAfterSeconds } = error
    const isFault = status >= 500
    return {
      title: TITLES[code] ?? (isFault ? texts.serviceFault : texts.refused),
      message: code === 'NOT_FOUND' ? texts.mayBeDeleted({ message }) : message,
      requestId: isFault ? requestId : null,
      retryAfterSeconds,
    }
  }
  return {
    title: texts.consoleFault,
    message: error instanceof Error ? error.message : String(error),
    requestId: null,
    retryAfterSeconds: null,
  }
}

/**
 * The fields that a VALIDATION_ERROR names. The api writes a field in quotes, at the beginning of a sentence: `"name" is
 * required. "url" must use HTTPS`.
 *
 * @param fields names of the form's fields. A path such as `headers.X` or `events[0]` belongs to the field of its first name
 * @returns the message by field; empty when none of the form's fields is named
 */
export function faultsByField(error: unknown, fields: readonly string[]): Readonly<Record<string, string>> {
  if (!(error instanceof ApiRefusal) || error.code !== 'VALIDATION_ERROR') return {}
  const starts = [...error.message.matchAll(/(?:^|[.;,] )"([a-z_]+)[^"]*"/g)]
  const faults: Record<string, string> = {}
  for (const [index, match] of starts.entries()) {
    const field = match[1] ?? ''
    const sentence = error.message.slice(match.index, starts[index + 1]?.index).replace(/^[.;,] /, '')
    if (fields.includes(field)) faults[field] ??= sentence
  }
  return faults
}
