import { isShortage } from '../domain/system-errors.ts'

/**
 * Why this worker could not make an attempt, whatever the endpoint would have answered:
 * - `resources`: no file, memory or port is left on this machine
 * - `permission`: a rule of this machine forbids the connection
 * - `resolver`: the name servers answer nothing
 * - `network`: nothing comes back from the endpoints of any company
 */
export type WorkerFaultReason = 'resources' | 'permission' | 'resolver' | 'network'

/** Thrown when a fault of ours prevented an attempt. It is no outcome and spends no attempt. */
export class WorkerFault extends Error {
  override readonly name = 'WorkerFault'
  readonly reason: WorkerFaultReason

  constructor(reason: WorkerFaultReason, options?: { cause: unknown }) {
    super(`The worker cannot connect: ${reason}.`, options)
    this.reason = reason
  }
}

/** Error codes of the operating system: a rule of this machine (a firewall, a sandbox) forbids the connection. */
const PROHIBITIONS: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM'])

/**
 * Finds our own fault in an error of a socket. If our fault hit one of several addresses, it counts as our fault: that
 * address might have answered.
 *
 * @returns undefined when the error lies with the other end, or is none of these
 */
export function workerFaultIn(error: unknown): WorkerFaultReason | undefined {
  if (error instanceof WorkerFault) return error.reason
  const errors: unknown[] = error instanceof AggregateError ? error.errors : [error]
  if (errors.some(isShortage)) return 'resources'
  return errors.some((one) => PROHIBITIONS.has((one as { code?: unknown } | null)?.code))
    ? 'permission'
    : undefined
}
