import {
  isUnavailable,
  isUnknownDatabase,
  isUnknownTable,
  databaseAdvice,
} from '../operations/database-faults.ts'
import { describeRefusal, failure, type Failure } from './print.ts'

/**
 * Puts any error into words for an operator. Of a database error it shows the code only, because the message quotes the
 * statement with its values.
 */
export function describeFailure(error: unknown): Failure {
  const refusal = describeRefusal(error)
  if (refusal) return refusal
  const { code, sqlState } = (error ?? {}) as { code?: string; sqlState?: string }
  const advice = databaseAdvice(error)
  if (advice !== undefined) return failure('SERVICE_UNAVAILABLE', advice)
  if (isUnknownDatabase(error) || isUnknownTable(error)) {
    return failure('SERVICE_UNAVAILABLE', 'The database is not set up: run "migrate" first.')
  }
  if (isUnavailable(error)) return failure('SERVICE_UNAVAILABLE', 'The database does not answer.')
  if (sqlState !== undefined) return failure('INTERNAL_ERROR', `The database refused: ${code ?? 'unknown'}.`)
  return failure('INTERNAL_ERROR', error instanceof Error ? error.message : String(error))
}
