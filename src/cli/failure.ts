import { isUnavailable, isUnknownDatabase, isUnknownTable, tlsAdvice } from '../operations/database-faults.ts'
import { ApiError } from '../domain/errors.ts'
import { UsageError } from './command.ts'

/** What a failed command prints, and its exit code. */
export type Failure = {
  readonly code: string
  readonly message: string
  readonly exitCode: 1 | 2
  /** What a person sees in place of the message, when no command was named. */
  readonly help?: string | undefined
}

/**
 * Puts any error into words for an operator. Of a database error it shows the code only, because the message quotes the
 * statement with its values.
 */
export function describeFailure(error: unknown): Failure {
  if (error instanceof UsageError) {
    return { code: 'INVALID_USAGE', message: error.message, exitCode: 2, help: error.help }
  }
  if (error instanceof ApiError) return failure(error.code, error.message)
  const { code, sqlState } = (error ?? {}) as { code?: string; sqlState?: string }
  const advice = tlsAdvice(error)
  if (advice !== undefined) return failure('SERVICE_UNAVAILABLE', advice)
  if (isUnknownDatabase(error) || isUnknownTable(error)) {
    return failure('SERVICE_UNAVAILABLE', 'The database is not set up: run "migrate" first.')
  }
  if (isUnavailable(error)) return failure('SERVICE_UNAVAILABLE', 'The database does not answer.')
  if (sqlState !== undefined) return failure('INTERNAL_ERROR', `The database refused: ${code ?? 'unknown'}.`)
  return failure('INTERNAL_ERROR', error instanceof Error ? error.message : String(error))
}

const failure = (code: string, message: string): Failure => ({ code, message, exitCode: 1 })
