import { isShortage } from '../../domain/system-errors.ts'

type DatabaseError = {
  readonly errno?: number
  readonly code?: string
  readonly name?: string
  readonly message?: string
}

const detailsOf = (error: unknown): DatabaseError => error ?? {}

/** Makes a function that tests errors by their numbers. */
function hasNumber(...numbers: readonly number[]) {
  const known = new Set(numbers)
  return (error: unknown): boolean => known.has(detailsOf(error).errno ?? 0)
}

/** Whether a unique key was violated. */
export const isDuplicate = hasNumber(1062)

export const isUnknownDatabase = hasNumber(1049)

export const isUnknownTable = hasNumber(1146)

/**
 * Whether the transaction that failed with this error may be started again. The errors are MariaDB's snapshot conflict,
 * a lock wait time-out and a deadlock.
 */
export const isRetryable = hasNumber(1020, 1205, 1213)

/** Whether a statement timed out while it waited for a lock of another transaction. */
export const isLockTimeout = hasNumber(1205)

/** The codes of Node and mysql2 for a connection that cannot be made, or is lost. */
const LOST_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'PROTOCOL_CONNECTION_LOST',
  // From the resolver: the name does not exist (ENOTFOUND), or no name server answers (EAI_AGAIN).
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'HANDSHAKE_NO_SSL_SUPPORT',
  'HANDSHAKE_SSL_ERROR',
])

/** Whether the server refused a write because it is read-only. After a failover we may be connected to a replica. */
export const isReadOnly = hasNumber(
  1036, // the table is open for reading only
  1290, // --read-only
  1792, // every transaction of the session is read-only
  1836, // read-only mode
  1874, // InnoDB is in read-only mode
)

/** The server answers, but cannot run our queries now. */
const cannotServe = hasNumber(
  1021, // disk full
  1030, // the storage engine failed, as on a full disk
  1040, // too many connections
  1053, // shutting down
  1114, // the table, or its disk, is full
  1203, // too many connections of this user
  1226, // a limit of this user is used up
  1927, // MariaDB: the connection was killed
  3032, // MySQL: offline mode
  3169, // MySQL: the session was killed
  4031, // MySQL: disconnected after idling
)

/** Whether the database stopped a statement because it ran longer than its limit. */
export const isStatementTimeout = hasNumber(
  1969, // MariaDB: max_statement_time
  3024, // MySQL: max_execution_time
)

/** The server stopped the query by KILL QUERY, or begins to shut down. */
const isInterrupted = hasNumber(1317)

/** Whether the server stopped a statement, because it ran too long or by KILL QUERY. Another try may then succeed. */
export const isStopped = (error: unknown): boolean => isInterrupted(error) || isStatementTimeout(error)

/** Whether the error means that the database is away, so that every other query would fail now too. */
export function isLost(error: unknown): boolean {
  const { code, name, message } = detailsOf(error)
  return (
    LOST_CODES.has(code ?? '') ||
    isShortage(error) ||
    cannotServe(error) ||
    isReadOnly(error) ||
    name === 'KnexTimeoutError' ||
    (message?.includes('closed state') ?? false)
  )
}

/** Whether the error means that the database is away or too busy to answer. The query itself was not wrong. */
export const isUnavailable = (error: unknown): boolean =>
  isLost(error) || isRetryable(error) || isStopped(error)

const MAY_NOT =
  'The account of DATABASE_URL may not do this in the database: "migrate" and "rollback" need the one that owns the schema.'

/**
 * Advice by the number of the error. With 1045 the server refuses the sign-in. With 1044 and 1142 it refuses something
 * that the account may not do.
 */
const REFUSED_ACCOUNTS = new Map([
  [
    1045,
    "The database refuses the user or the password of DATABASE_URL. An anonymous account ''@localhost, which some installations of MariaDB make, comes before one for any host: drop it.",
  ],
  [1044, MAY_NOT],
  [1142, MAY_NOT],
])

/**
 * Advice for the case that TLS to the database failed, or the database refused our account.
 *
 * @returns a sentence for operators; undefined for all other errors
 */
export function databaseAdvice(error: unknown): string | undefined {
  const { code, errno, message } = detailsOf(error)
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') {
    return 'The database server offers no TLS: set it up there, or set DATABASE_TLS=off to send everything in clear.'
  }
  if (code !== 'HANDSHAKE_SSL_ERROR') return REFUSED_ACCOUNTS.get(errno ?? 0)
  return `TLS to the database failed (${message ?? 'unknown reason'}): DATABASE_CA_FILE must hold the authority that signed the server's certificate, and the certificate must name the host of DATABASE_URL.`
}
