import { pino } from 'pino'

/** The log of a process: JSON lines. */
export type Log = Pick<
  pino.Logger,
  'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child' | 'isLevelEnabled'
>

/** The log blanks out fields with these names in a logged object, at its top and up to two levels deeper. */
const SECRETS = ['authorization', 'cookie', 'secret', 'key', 'password', 'headers', 'payload', 'body', 'url']

type LogSink = { write(line: string): void }

/**
 * Makes a log that blanks out secrets, header values, payloads and URLs. Callers still choose each field they log.
 *
 * @param sink by default stdout
 */
export function createLog(service: string, level: string, sink?: LogSink): Log {
  const options: pino.LoggerOptions = {
    level,
    base: { service },
    redact: {
      paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
      censor: '[redacted]',
    },
    formatters: { level: (label) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
  }
  return sink === undefined ? pino(options) : pino(options, sink)
}

/**
 * Name, code, message and stack of an error and of its cause. The message of a database error would quote the statement
 * with its values. So the error's code replaces the message, and only the frames of the stack are kept.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code, errno, sqlState } = error as Error & { code?: string; errno?: number; sqlState?: string }
  const isSql = sqlState !== undefined || 'sql' in error
  return {
    name: error.name,
    code,
    errno,
    message: isSql ? `database error ${String(code)}` : error.message,
    stack: isSql ? framesOf(error) : error.stack,
    cause: error.cause === undefined ? undefined : describeError(error.cause),
  }
}

/** The lines at the end of the stack that name places in the code. The message stands before them, and may have several lines. */
function framesOf({ stack = '' }: Error): string {
  const lines = stack.split('\n')
  return lines.slice(lines.findLastIndex((line) => !/^\s+at /.test(line)) + 1).join('\n')
}
