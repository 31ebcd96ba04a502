import { databaseNow } from '../db/clock.ts'
import { readFailingShare } from '../db/webhook/hourly-stats.ts'
import { hasOperatorNotice, insertNotices } from '../db/notice/new-notices.ts'
import {
  deactivateFailing,
  listDue,
  listUnwarned,
  markWarned,
  type LongFailure,
} from '../db/webhook/long-failures.ts'
import { DAY_MS, floorTo, HOUR_MS } from '../domain/instants.ts'
import { noticeOf } from '../domain/notice/notice.ts'
import { isProbablyOurFault, type FailingShare } from '../domain/webhook/long-failure.ts'
import type { Job } from './upkeep.ts'
import type { SystemDeps } from '../deps/deps.ts'

/** One look warns about at most this many webhooks, and deactivates at most this many. */
const PAGE = 1_000
/** Shortest time between two notices for the operator while most endpoints fail. */
const NOTICE_EVERY_MS = DAY_MS

/**
 * Deactivates webhooks whose endpoints have failed for ENDPOINT_DISABLE_AFTER, and warns at half of that time. While the
 * endpoints of more than half of the companies fail, it neither warns nor deactivates, but makes a notice for the operator.
 */
export class FailingEndpoints implements Job {
  readonly #deps: Pick<SystemDeps, 'db' | 'config' | 'log' | 'metrics'>
  readonly #readClock: typeof databaseNow
  #isPostponed = false
  /** The hour in which the share of failing companies was read last, in epoch milliseconds. */
  #readIn: number | undefined

  constructor(deps: Pick<SystemDeps, 'db' | 'config' | 'log' | 'metrics'>, readClock = databaseNow) {
    this.#deps = deps
    this.#readClock = readClock
  }

  /** Checks the endpoints that fail now, by the database's clock. */
  async look(): Promise<void> {
    const { db, config } = this.#deps
    const afterMs = config.endpointDisableAfterMs
    const now = await this.#readClock(db)
    const since = new Date(now.getTime() - afterMs)
    const half = new Date(now.getTime() - afterMs / 2)
    const due = afterMs === 0 ? [] : await listDue(db, since, now, PAGE)
    const unwarned = afterMs === 0 ? [] : await listUnwarned(db, half, PAGE)
    if (await this.#shouldPostpone(due.length, unwarned.length, now)) return
    for (const failure of unwarned) await this.#warn(failure, afterMs)
    for (const failure of due) await this.#deactivate(failure, since)
  }

  rest(): void {
    this.#isPostponed = false
    this.#readIn = undefined
    this.#deps.metrics.deactivationsHeld.set(0)
  }

  /**
   * Whether the endpoints of most companies fail, so that the fault is probably ours. It reads the share of failing
   * companies when a webhook is due to be deactivated, or its owner is not warned yet. Otherwise it reads the share
   * once an hour, because the operator must know long before a webhook is due.
   */
  async #shouldPostpone(due: number, unwarned: number, now: Date): Promise<boolean> {
    const { db, log, metrics } = this.#deps
    const hour = floorTo(now, HOUR_MS).getTime()
    if (due + unwarned === 0 && hour === this.#readIn) {
      metrics.deactivationsHeld.set(0)
      return false
    }
    const since = new Date(hour - HOUR_MS)
    const share = await readFailingShare(db, since)
    const isPostponed = isProbablyOurFault(share)
    metrics.deactivationsHeld.set(isPostponed ? due : 0)
    if (isPostponed) await this.#tellOperator(share, { since, now })
    this.#readIn = hour
    if (isPostponed && !this.#isPostponed) {
      log.warn(
        { ...share, due },
        'the endpoints of more than half of the companies fail, probably by our own fault: none is deactivated',
      )
    }
    if (!isPostponed && this.#isPostponed) log.info('endpoints that fail for long are deactivated again')
    this.#isPostponed = isPostponed
    return isPostponed
  }

  async #tellOperator({ failing }: FailingShare, { since, now }: { since: Date; now: Date }): Promise<void> {
    const { db } = this.#deps
    const kind = 'most_endpoints_fail'
    const latest = new Date(now.getTime() - NOTICE_EVERY_MS)
    if (await hasOperatorNotice(db, kind, latest)) return
    const cause = { kind, tenant: null, targetId: '', causeAt: now } as const
    await insertNotices(db, [noticeOf(cause, { total: failing, at: since })])
  }

  async #warn(failure: LongFailure, afterMs: number): Promise<void> {
    if (!(await markWarned(this.#deps.db, failure, afterMs))) return
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

const factsOf = ({ webhookId, tenant, health: { counted, lastError } }: LongFailure) => ({
  webhook_id: webhookId,
  company_id: tenant.companyId,
  failing_since: counted.since?.toISOString(),
  failed_attempts: counted.attempts,
  error: lastError,
})
