import { ApiRefusal, ConnectionLost } from './refusal.ts'

/** What a person reads about a refusal, and what they can do about it. */
type Description = {
  readonly title: string
  readonly message: string
  /** Shown so that the person can name it to the operator. */
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null
}

const TITLES: Readonly<Record<string, string>> = {
  VALIDATION_ERROR: 'Please correct the form',
  INVALID_REQUEST: 'Not possible at the moment',
  INVALID_CREDENTIALS: 'That did not match',
  SECOND_FACTOR_LOCKED: 'Your second factor is locked',
  UNAUTHORIZED: 'You are signed out',
  OTHER_USER: 'Somebody else is signed in now',
  CSRF_TOKEN_INVALID: 'This page is out of date',
  REAUTHENTICATION_REQUIRED: 'Your password is needed',
  INSUFFICIENT_PERMISSIONS: 'Your role does not allow this',
  NOT_FOUND: 'Not found',
  CONFLICT: 'Somebody was faster, or a limit is reached',
  PRECONDITION_FAILED: 'Changed meanwhile',
  RATE_LIMITED: 'Too many requests',
  SERVICE_UNAVAILABLE: 'The service is not ready',
}

/** Says in plain words what went wrong. An unknown error is a fault of the console itself. */
export function describeRefusal(error: unknown): Description {
  if (error instanceof ConnectionLost) {
    return {
      title: 'No connection',
      message: 'The console got no answer. What you typed is still here: try again.',
      requestId: null,
      retryAfterSeconds: null,
    }
  }
  if (error instanceof ApiRefusal) {
    const { code, message, status, requestId, retryAfterSeconds } = error
    const isFault = status >= 500
    return {
      title: TITLES[code] ?? (isFault ? 'The service has a fault' : 'Refused'),
      message:
        code === 'NOT_FOUND' ? `${message} It may have been deleted, or belong to another company.` : message,
      requestId: isFault ? requestId : null,
      retryAfterSeconds,
    }
  }
  return {
    title: 'The console has a fault',
    message: error instanceof Error ? error.message : String(error),
    requestId: null,
    retryAfterSeconds: null,
  }
}

/**
 * The fields that a VALIDATION_ERROR names. The api writes a field in quotes, at the beginning of a sentence:
 * `"name" is required. "url" must use HTTPS`.
 *
 * @param fields names of the form's fields; a path such as `headers.X` or `events[0]` counts as its first name
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
