/** Error numbers that mean «try the transaction again»: MariaDB's snapshot conflict, lock wait time-out, deadlock. */
const RETRYABLE = new Set([1020, 1205, 1213])
const DUPLICATE = 1062
const UNKNOWN_DATABASE = 1049

const errorNumber = (error: unknown): number | undefined => (error as { errno?: number } | null)?.errno

/** Whether a unique key was violated. */
export const isDuplicate = (error: unknown): boolean => errorNumber(error) === DUPLICATE

export const isUnknownDatabase = (error: unknown): boolean => errorNumber(error) === UNKNOWN_DATABASE

/** Whether a transaction that failed with this error may simply be started again. */
export const isRetryable = (error: unknown): boolean => RETRYABLE.has(errorNumber(error) ?? 0)

const LOST = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'PROTOCOL_CONNECTION_LOST',
  'ER_SERVER_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
])

/** Whether the error says that the database is away: no other query would fare better now. */
export function isLost(error: unknown): boolean {
  const { code, name, message } = (error ?? {}) as { code?: string; name?: string; message?: string }
  return LOST.has(code ?? '') || name === 'KnexTimeoutError' || (message?.includes('closed state') ?? false)
}

/** Whether the error says that the database is away or too busy to answer, and not that the query was wrong. */
export const isUnavailable = (error: unknown): boolean => isLost(error) || isRetryable(error)
