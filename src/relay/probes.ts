import type { EndpointLimits } from '../attempts/endpoint-limits.ts'
import { isFirstQueue } from '../db/outbox/outbox.ts'
import type { Claim, ClaimedRow, QueueShare } from '../db/outbox/claims.ts'
import { giveBackProbe, settleProbe, takeProbes } from '../db/outbox/probe-rows.ts'
import type { SystemDeps } from '../deps/deps.ts'

/** What the relay uses of the limits, which belong to src/attempts. */
export type RelayLimits = Omit<EndpointLimits, 'learn' | 'failing'>

type Parts = {
  readonly limits: RelayLimits
  readonly owner: string
  /** How long a probe may be under way before the next one may go without its record. */
  readonly leaseMs: number
}

/** A worker that others have overtaken asks again after this. */
const REFUSED_PAUSE_MS = 250
/** Probes that one round takes at most. */
const AT_ONCE = 16

/**
 * Lets the first attempts of failing endpoints through one at a time over all workers: the database gives each probe to
 * one of them. A probe whose worker dies comes again at the end of its lease.
 */
export class Probes {
  readonly #deps: Pick<SystemDeps, 'db' | 'log'>
  readonly #parts: Parts

  constructor(deps: Pick<SystemDeps, 'db' | 'log'>, parts: Parts) {
    this.#deps = deps
    this.#parts = parts
  }

  /**
   * Claims rows. Of a failing endpoint it claims a first attempt only if this worker gets its probe.
   *
   * @returns the claims, and the shares for which they were asked
   */
  async claim(
    shares: readonly QueueShare[],
    claim: (shares: readonly QueueShare[]) => Promise<Claim[]>,
  ): Promise<{ claims: Claim[]; granted: readonly QueueShare[] }> {
    const { limits, owner, leaseMs } = this.#parts
    const failing = shares
      .filter(({ queue }) => isFirstQueue(queue) && limits.isFailing(queue))
      .map(({ queue }) => queue)
    const asked = failing.slice(0, AT_ONCE)
    const taken =
      asked.length > 0 ? await takeProbes(this.#deps.db, asked, owner, leaseMs) : new Set<string>()
    for (const id of asked) limits.holdProbe(id, taken.has(id) ? leaseMs : REFUSED_PAUSE_MS)
    const refused = new Set(failing.filter((id) => !taken.has(id)))
    const granted = shares.filter(({ queue }) => !refused.has(queue))
    const claims = await claim(granted).catch(async (error: unknown) => {
      await this.#settleAll(taken, [])
      throw error
    })
    for (const { row } of claims) if (isFirstQueue(row.queue)) limits.begin(row.queue)
    await this.#settleAll(taken, claims)
    return { claims, granted }
  }

  /** Nothing was sent for a claimed row. If it was a probe, the next one may go at once. */
  async giveBack({ queue, targetId }: Pick<ClaimedRow, 'queue' | 'targetId'>): Promise<void> {
    if (!isFirstQueue(queue) || !this.#parts.limits.isFailing(queue)) return
    await this.#withoutFault(queue, () => giveBackProbe(this.#deps.db, queue, targetId))
  }

  /** Notes the delivery of each probe. One that claimed nothing is given back. */
  async #settleAll(taken: ReadonlySet<string>, claims: readonly Claim[]): Promise<void> {
    const { owner } = this.#parts
    const { db } = this.#deps
    const settle = async (webhookId: string) => {
      const probe = claims.find(({ row }) => row.queue === webhookId)
      if (probe) return settleProbe(db, webhookId, owner, probe.row.targetId)
      return giveBackProbe(db, webhookId, owner)
    }
    await Promise.all([...taken].map((id) => this.#withoutFault(id, () => settle(id))))
  }

  /** The claims of others must not fail with the row of one endpoint. */
  async #withoutFault(webhookId: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => {
      const ids = { webhook_id: webhookId }
      this.#deps.log.warn(
        { err: error, ...ids },
        'the next probe of an endpoint goes at the end of its lease',
      )
    })
  }
}
