import { deactivateForBacklog, listBacklogs } from '../db/webhook/backlogs.ts'
import type { SystemDeps } from '../deps/deps.ts'
import type { DeliveryFigures } from './delivery-figures.ts'
import type { Job } from './upkeep.ts'

/** One page has at most this many webhooks. */
const PAGE = 1_000
/** One look reads at most this many pages. The next look continues after them. */
const PAGES_PER_LOOK = 10
/**
 * A webhook whose backlog is up to twice the limit stays active for this long after its activation or recovery, because
 * the backlog may be going out.
 */
const GRACE_MS = 600_000

/**
 * Deactivates webhooks for which more than WEBHOOK_BACKLOG deliveries wait. The deliveries stay, and are parked. It
 * also gives DeliveryFigures the backlogs that it reads.
 */
export class BacklogLimit implements Job {
  readonly #deps: Pick<SystemDeps, 'db' | 'config' | 'log'>
  readonly #figures: DeliveryFigures
  #afterId = ''

  constructor(deps: Pick<SystemDeps, 'db' | 'config' | 'log'>, figures: DeliveryFigures) {
    this.#deps = deps
    this.#figures = figures
  }

  /** Checks the next pages of webhooks. */
  async look(): Promise<void> {
    for (let page = 0; page < PAGES_PER_LOOK; page++) {
      const isFirst = this.#afterId === ''
      const backlogs = await listBacklogs(this.#deps.db, this.#afterId, PAGE)
      for (const { webhookId, waiting } of backlogs) await this.#check(webhookId, waiting)
      this.#afterId = backlogs.length < PAGE ? '' : (backlogs.at(-1)?.webhookId ?? '')
      await this.#figures.add(backlogs, { isFirst, isLast: this.#afterId === '' })
      if (this.#afterId === '') return
    }
  }

  rest(): void {
    this.#figures.clear()
  }

  async #check(webhookId: string, waiting: number): Promise<void> {
    const { db, config, log } = this.#deps
    const limit = config.webhookBacklog
    if (waiting <= limit) return
    const graceMs = waiting <= 2 * limit ? GRACE_MS : 0
    const companyId = await deactivateForBacklog(db, { webhookId, waiting }, graceMs)
    if (companyId === undefined) return
    const ids = { webhook_id: webhookId, company_id: companyId }
    log.warn({ ...ids, reason: 'backlog', waiting, limit }, 'webhook deactivated')
  }
}
