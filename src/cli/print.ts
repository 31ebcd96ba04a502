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

export const failure = (code: string, message: string): Failure => ({ code, message, exitCode: 1 })

/** Describes a UsageError or an ApiError; undefined for any other error. */
export function describeRefusal(error: unknown): Failure | undefined {
  if (error instanceof UsageError)
    return { code: 'INVALID_USAGE', message: error.message, exitCode: 2, help: error.help }
  return error instanceof ApiError ? failure(error.code, error.message) : undefined
}

/** Prints a line on stdout. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/**
 * Writes the text on stdout and waits until the system has taken it. So output for a slow reader fills no memory.
 *
 * @returns false once nobody reads any more, as with `| head`
 * @throws any other error of the write
 */
export async function write(text: string): Promise<boolean> {
  const { stdout } = process
  // Node also emits the callback's error as an event. Without a listener, the event would end the process.
  const ignored = () => undefined
  stdout.once('error', ignored)
  try {
    await new Promise<void>((resolve, reject) =>
      stdout.write(text, (error) => (error ? reject(error) : resolve())),
    )
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return false
    throw error
  } finally {
    // The event comes after the callback.
    setImmediate(() => stdout.off('error', ignored))
  }
}

/** Prints a failure: on stderr, or with --json as the document on stdout. @returns its exit code */
export function printFailure({ code, message, exitCode, help }: Failure, isJson: boolean): number {
  if (isJson) print(JSON.stringify({ error: { code, message } }))
  else process.stderr.write(help === undefined ? `${code}: ${message}\n` : `${help}\n`)
  return exitCode
}
