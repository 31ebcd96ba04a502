import { databaseNow } from '../db/clock.ts'
import type { Backlog } from '../db/webhook/backlogs.ts'
import { listOpenIds, listOpenOf, readWaitingWebhooks } from '../db/delivery/figures.ts'
import { AGE_CLASSES, ageClass, type AgeClass } from '../domain/delivery/delivery.ts'
import { heldReason, type HeldReason } from '../domain/delivery/gate.ts'
import { madeAt } from '../domain/ids.ts'
import type { SystemDeps } from '../deps/deps.ts'

/**
 * At most this many due deliveries and this many parked ones are read for their ages. The deliveries of failing
 * endpoints have a limit of the same size.
 */
const LOOKED_AT = 10_000

const FAILING = { isActive: true, isSuspended: false, holdsFirstAttempts: true }

/** What a walk through all webhooks, page by page, has added up so far. */
type Sums = ReturnType<typeof nothing>

const nothing = () => ({
  open: 0,
  /** How many deliveries of failing endpoints the walk may still read. */
  readable: LOOKED_AT,
  held: { company_suspended: 0, webhook_inactive: 0, endpoint_failing: 0 } satisfies Record<
    HeldReason,
    number
  >,
  byCompany: new Map<string, number>(),
})

/**
 * Sets the metrics of open and of held deliveries. The numbers come from the counters of webhooks, page by page, so their cost
 * does not depend on the number of deliveries. The metrics change only after a walk from the first webhook to the last.
 */
export class DeliveryFigures {
  readonly #deps: Pick<SystemDeps, 'db' | 'metrics' | 'config'>
  #sums: Sums | undefined

  constructor(deps: Pick<SystemDeps, 'db' | 'metrics' | 'config'>) {
    this.#deps = deps
  }

  /** Adds the next page of a walk. After the last page it sets the metrics. */
  async add(
    page: readonly Backlog[],
    { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
  ): Promise<void> {
    const sums = isFirst ? nothing() : this.#sums
    // If this page fails, the metrics stay as they are until the next walk.
    this.#sums = undefined
    if (!sums) return
    await this.#addTo(sums, page)
    if (isLast) await this.#tell(sums)
    else this.#sums = sums
  }

  /** Clears the gauges, because another worker sets them now. */
  clear(): void {
    const { deliveriesOpen, deliveriesHeld, companyDeliveriesOpen } = this.#deps.metrics
    this.#sums = undefined
    for (const gauge of [deliveriesOpen, deliveriesHeld, companyDeliveriesOpen]) gauge.reset()
  }

  async #addTo(sums: Sums, page: readonly Backlog[]): Promise<void> {
    const failing: Backlog[] = []
    const waiting = new Map(page.filter((backlog) => backlog.waiting > 0).map((it) => [it.webhookId, it]))
    for (const webhook of await readWaitingWebhooks(this.#deps.db, [...waiting.keys()])) {
      const backlog = waiting.get(webhook.id)
      if (!backlog) continue
      const open = backlog.waiting
      sums.open += open
      sums.byCompany.set(webhook.companyId, (sums.byCompany.get(webhook.companyId) ?? 0) + open)
      if (webhook.isDeleted) continue
      if (webhook.isSuspended) sums.held.company_suspended += open
      else if (!webhook.isActive) sums.held.webhook_inactive += open
      else if (webhook.holdsFirstAttempts) failing.push(backlog)
    }
    sums.held.endpoint_failing += await this.#countHeld(failing, sums)
  }

  /**
   * If the walk may still read all deliveries of a webhook, this counts them by the rule of `held_reason`. Otherwise it
   * counts the webhook's deliveries that had no attempt yet.
   */
  async #countHeld(failing: readonly Backlog[], sums: Sums): Promise<number> {
    const read: string[] = []
    let held = 0
    for (const { webhookId, waiting, pending } of failing) {
      if (waiting > sums.readable) {
        held += pending
        continue
      }
      sums.readable -= waiting
      read.push(webhookId)
    }
    const rows = await listOpenOf(this.#deps.db, read, LOOKED_AT)
    return held + rows.filter((row) => heldReason(row, FAILING) !== null).length
  }

  async #tell({ open, held, byCompany }: Sums): Promise<void> {
    const { metrics, config } = this.#deps
    const ages = await this.#ages(open)
    for (const [age, deliveries] of ages) metrics.deliveriesOpen.set({ age }, deliveries)
    for (const [reason, deliveries] of Object.entries(held))
      metrics.deliveriesHeld.set({ reason }, deliveries)
    if (!config.metricsPerCompany) return
    metrics.companyDeliveriesOpen.reset()
    for (const [companyId, deliveries] of byCompany) {
      metrics.companyDeliveriesOpen.set({ company_id: companyId }, deliveries)
    }
  }

  /** @param open how many deliveries are open, as the counters say. Deliveries that are not read have an unknown age */
  async #ages(open: number): Promise<ReadonlyMap<AgeClass, number>> {
    const { ids, isWhole } = await listOpenIds(this.#deps.db, LOOKED_AT)
    const now = await databaseNow(this.#deps.db)
    const ages = new Map<AgeClass, number>(AGE_CLASSES.map((age) => [age, 0]))
    const add = (age: AgeClass, deliveries: number) => ages.set(age, (ages.get(age) ?? 0) + deliveries)
    for (const id of ids) add(ageClass(madeAt(id), now), 1)
    if (!isWhole) add('unknown', Math.max(0, open - ids.length))
    return ages
  }
}
