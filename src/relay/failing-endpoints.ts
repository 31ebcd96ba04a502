import { databaseNow } from '../db/clock.js'
import { readEndpointShare } from '../db/system/attempt-stats.js'
import {
  deactivateFailing,
  listDue,
  listUnwarned,
  markWarned,
  type LongFailure,
} from '../db/system/long-failures.js'
import { floorTo, HOUR_MS } from '../domain/instants.js'
import { isProbablyOurFault } from '../domain/webhook/long-failure.js'
import type { Deps } from '../process/deps.js'

/** Webhooks that one look warns about, and deactivates, at most. */
const PAGE = 1_000

/**
 * Deactivates webhooks whose endpoints have failed for ENDPOINT_DISABLE_AFTER, and warns at half of that time. It does
 * neither while more than half of the endpoints fail.
 */
export class FailingEndpoints {
  readonly #deps: Pick<Deps, 'db' | 'config' | 'log' | 'metrics'>
  #isHeld = false

  constructor(deps: Pick<Deps, 'db' | 'config' | 'log' | 'metrics'>) {
    this.#deps = deps
  }

  /** Looks at the endpoints that fail now, by the database's clock. */
  async look(): Promise<void> {
    const { db, config } = this.#deps
    const afterMs = config.endpointDisableAfterMs
    if (afterMs === 0) return
    const now = await databaseNow(db)
    const since = new Date(now.getTime() - afterMs)
    const due = await listDue(db, since, now, PAGE)
    const unwarned = await listUnwarned(db, new Date(now.getTime() - afterMs / 2), PAGE)
    if (await this.#isHeldBack(due, unwarned, now)) return
    for (const failure of unwarned) await this.#warn(failure, afterMs)
    for (const failure of due) await this.#deactivate(failure, since)
  }

  /** Another worker looks from now on: this one's metric must not stand for it. */
  rest(): void {
    this.#isHeld = false
    this.#deps.metrics.deactivationsHeld.set(0)
  }

  /** Whether the fault is probably ours. It reads the share of failing endpoints only where somebody would be concerned. */
  async #isHeldBack(
    due: readonly LongFailure[],
    unwarned: readonly LongFailure[],
    now: Date,
  ): Promise<boolean> {
    const { db, log, metrics } = this.#deps
    const lastHour = floorTo(new Date(now.getTime() - HOUR_MS), HOUR_MS)
    const isAsked = due.length + unwarned.length > 0
    const share = isAsked ? await readEndpointShare(db, lastHour) : { attempted: 0, failing: 0 }
    const isHeld = isProbablyOurFault(share)
    metrics.deactivationsHeld.set(isHeld ? due.length : 0)
    if (isHeld && !this.#isHeld) {
      log.warn(
        { ...share, due: due.length },
        'more than half of the endpoints fail, probably by our own fault: none is deactivated',
      )
    }
    if (!isHeld && this.#isHeld) log.info('endpoints that fail for long are deactivated again')
    this.#isHeld = isHeld
    return isHeld
  }

  async #warn(failure: LongFailure, afterMs: number): Promise<void> {
    if (!(await markWarned(this.#deps.db, failure))) return
    this.#deps.log.info(
      { ...factsOf(failure), deactivated_after_ms: afterMs },
      'an endpoint has failed for half of the time after which its webhook is deactivated',
    )
  }

  async #deactivate(failure: LongFailure, since: Date): Promise<void> {
    if (!(await deactivateFailing(this.#deps.db, failure.webhookId, since))) return
    this.#deps.log.info({ ...factsOf(failure), reason: 'failing' }, 'webhook deactivated')
  }
}

const factsOf = ({ webhookId, companyId, health: { counted, lastError } }: LongFailure) => ({
  webhook_id: webhookId,
  company_id: companyId,
  failing_since: counted.since?.toISOString(),
  failed_attempts: counted.attempts,
  error: lastError,
})
