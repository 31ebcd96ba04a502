import type { EndpointLimits } from '../attempts/endpoint-limits.ts'
import { isFirstQueue } from '../db/outbox/queues.ts'
import type { QueueShare } from '../db/outbox/claims.ts'
import type { ClaimedRow } from '../db/outbox/outbox.ts'
import { giveBackProbe, settleProbe, takeProbes } from '../db/webhook/endpoint-health.ts'
import type { SystemDeps } from '../deps/deps.ts'

type Parts = {
  readonly limits: EndpointLimits
  readonly owner: string
  /** How long a worker may take for a probe. If no outcome is recorded by then, the next probe may go. */
  readonly leaseMs: number
}

/** The pause before this worker asks again for a probe that it did not get. */
const REFUSED_PAUSE_MS = 250
/** One round takes at most this many probes. */
const AT_ONCE = 16

/**
 * Lets the first attempts of each failing endpoint through one at a time, counted over all workers. The database gives
 * each probe to one worker. If that worker dies, another worker may take the probe when its lease ends.
 */
export class Probes {
  readonly #deps: Pick<SystemDeps, 'db' | 'batchDb' | 'log'>
  readonly #parts: Parts

  constructor(deps: Pick<SystemDeps, 'db' | 'batchDb' | 'log'>, parts: Parts) {
    this.#deps = deps
    this.#parts = parts
  }

  /**
   * Takes the probes that are due, before a claim. Afterwards call `claim` with the claimed rows, or with no rows if
   * the claim failed.
   *
   * @returns `granted`: the shares that may be claimed, without first attempts to failing endpoints whose probe this
   *   worker did not get. `taken`: the ids of the webhooks whose probes this worker got
   */
  async take(
    shares: readonly QueueShare[],
  ): Promise<{ granted: readonly QueueShare[]; taken: ReadonlySet<string> }> {
    const { limits, owner, leaseMs } = this.#parts
    const failing = shares
      .filter(({ queue }) => isFirstQueue(queue) && limits.isFailing(queue))
      .map(({ queue }) => queue)
    const asked = failing.slice(0, AT_ONCE)
    const taken =
      asked.length > 0 ? await takeProbes(this.#deps.batchDb, asked, owner, leaseMs) : new Set<string>()
    for (const id of asked) limits.delayProbe(id, taken.has(id) ? leaseMs : REFUSED_PAUSE_MS)
    const refused = new Set(failing.filter((id) => !taken.has(id)))
    return { granted: shares.filter(({ queue }) => !refused.has(queue)), taken }
  }

  /**
   * Counts the first attempts of claimed rows, and notes the delivery of each probe. Gives back each probe for which no
   * row was claimed.
   */
  async claim(taken: ReadonlySet<string>, rows: readonly ClaimedRow[]): Promise<void> {
    const { limits, owner } = this.#parts
    const { db } = this.#deps
    for (const { queue } of rows) if (isFirstQueue(queue)) limits.begin(queue)
    const note = async (webhookId: string) => {
      const probe = rows.find(({ queue }) => queue === webhookId)
      if (probe) return settleProbe(db, webhookId, owner, probe.targetId)
      return giveBackProbe(db, webhookId, owner)
    }
    await Promise.all([...taken].map((id) => this.#withoutFault(id, () => note(id))))
  }

  /** Call it when no attempt was sent for a claimed row. If the row was a probe, the next probe may go at once. */
  async giveBack({ queue, targetId }: Pick<ClaimedRow, 'queue' | 'targetId'>): Promise<void> {
    if (!isFirstQueue(queue) || !this.#parts.limits.isFailing(queue)) return
    await this.#withoutFault(queue, () => giveBackProbe(this.#deps.db, queue, targetId))
  }

  /** Logs an error in place of throwing it: one endpoint's row must not fail the claims of all others. */
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
