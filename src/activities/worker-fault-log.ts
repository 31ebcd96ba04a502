import type { Deps } from '../deps.js'
import { LineInterval } from '../domain/line-interval.js'
import { workerFaultIn, type WorkerFaultReason } from './worker-fault.js'

/** Lines of one reason come no closer than this: a fault of the machine meets every attempt. */
const LINE_EVERY_MS = 10_000

const ADVICE: Readonly<Record<WorkerFaultReason, string>> = {
  resources:
    'no attempt can be made: the machine has no file, memory or port left; raise the limits of the worker or of its machine',
  permission:
    'no attempt can be made: a rule of this machine forbids the connection; look at its firewall and its sandbox',
  resolver:
    'no attempt can be made: the name servers answer nothing; look at the resolver of this machine (/etc/resolv.conf)',
}

/** Tells operators of attempts that failed by our own fault: every one in a metric, and those of the machine in few lines. */
export class WorkerFaultLog {
  readonly #deps: Pick<Deps, 'log' | 'metrics'>
  readonly #intervals = new Map<WorkerFaultReason, LineInterval>()

  constructor(deps: Pick<Deps, 'log' | 'metrics'>) {
    this.#deps = deps
  }

  /** Counts the fault and writes what the operator should do. */
  tell(deliveryId: string, error: unknown): void {
    const { log, metrics } = this.#deps
    const reason = workerFaultIn(error)
    metrics.workerFaults.inc({ reason: reason ?? 'other' })
    if (reason === undefined) {
      log.error({ err: error, delivery_id: deliveryId }, 'an attempt failed by our own fault')
      return
    }
    const leftOut = this.#intervalOf(reason).admit(performance.now())
    if (leftOut === undefined) return
    log.error({ err: error, delivery_id: deliveryId, reason, left_out: leftOut }, ADVICE[reason])
  }

  #intervalOf(reason: WorkerFaultReason): LineInterval {
    const interval = this.#intervals.get(reason) ?? new LineInterval(LINE_EVERY_MS)
    this.#intervals.set(reason, interval)
    return interval
  }
}
