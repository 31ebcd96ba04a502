import { isLost } from '../db/connection/errors.ts'
import type { Deps } from '../deps/deps.ts'
import { LineInterval } from '../domain/line-interval.ts'
import { workerFaultIn, type WorkerFaultReason } from '../sending/failures.ts'

/** Shortest time between two log lines with the same reason. */
const LINE_EVERY_MS = 10_000

/** A fault that affects all attempts alike, whatever their delivery. */
type SharedFault = WorkerFaultReason | 'database' | 'delay'

/** Our own reads took so much of the attempt's time that the endpoint would have less than half of its time. */
export class DelayedAttemptError extends Error {
  override readonly name = 'DelayedAttemptError'
  constructor() {
    super('The endpoint would have less than half of its time.')
  }
}

const ADVICE: Readonly<Record<SharedFault, string>> = {
  database: 'no attempt can be made: the database is away or takes no writes',
  delay:
    'no attempt can be made: the database or this worker is so slow that endpoints would have less than half of their time',
  resources:
    'no attempt can be made: the machine has no file, memory or port left; raise the limits of the worker or of its machine',
  permission:
    'no attempt can be made: a rule of this machine forbids the connection; look at its firewall and its sandbox',
  resolver:
    'no attempt can be made: the name servers answer nothing; look at the resolver of this machine (/etc/resolv.conf)',
  network:
    'no attempt can be made: no endpoint of any company can be reached; look at the network, the routes and the firewall of this machine',
  proxy:
    'no attempt can be made: the egress proxy cannot be reached, does not answer as one or refuses our credentials; look at it and at EGRESS_PROXY',
}

/** Returns the shared fault behind an error, or undefined when the error concerns one attempt only, for example a bug. */
export function sharedFaultIn(error: unknown): SharedFault | undefined {
  if (error instanceof DelayedAttemptError) return 'delay'
  return workerFaultIn(error) ?? (isLost(error) ? 'database' : undefined)
}

/** The delivery of an attempt. Where traces are sent, `traceId` is set once the rows are read. */
export type FaultPlace = { readonly deliveryId: string; traceId?: string | undefined }

/**
 * Creates a function that reports an attempt that failed by our own fault. It counts each fault in a metric and logs
 * it. It logs a shared fault at most once in 10 s, with what the operator should do.
 */
export function createFaultLog({ log, metrics }: Pick<Deps, 'log' | 'metrics'>) {
  const intervals = new Map<SharedFault, LineInterval>()
  return ({ deliveryId, traceId }: FaultPlace, error: unknown): void => {
    const ids = { delivery_id: deliveryId, trace_id: traceId }
    const reason = sharedFaultIn(error)
    metrics.workerFaults.inc({ reason: reason ?? 'other' })
    if (reason === undefined) {
      log.error({ err: error, ...ids }, 'an attempt failed by our own fault')
      return
    }
    const interval = intervals.get(reason) ?? new LineInterval(LINE_EVERY_MS)
    intervals.set(reason, interval)
    const leftOut = interval.admit(performance.now())
    if (leftOut === undefined) return
    log.error({ err: error, ...ids, reason, left_out: leftOut }, ADVICE[reason])
  }
}
