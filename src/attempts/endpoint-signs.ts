import { lockHealth, type FailingEndpoint } from '../db/webhook/endpoint-health.ts'
import type { SystemDb } from '../db/connection/connection.ts'
import type { Run } from '../db/connection/statements.ts'
import { askedPauseMs } from '../domain/delivery/backoff.ts'
import { attemptCode, isTest, type Delivery } from '../domain/delivery/delivery.ts'
import { isGone, isSuccessful, type MadeAttempt } from '../domain/delivery/outcome.ts'
import {
  afterOutcome,
  HEALTHY,
  onlyCounts,
  type EndpointHealth,
  type EndpointSign,
} from '../domain/webhook/health.ts'

export type HealthChange = { readonly before: EndpointHealth; readonly after: EndpointHealth }

type PostponedSign = { readonly signs: readonly EndpointSign[]; readonly since: Date }

/**
 * Maps each webhook id to the signs that are not written yet, and the time of the first one. A sign is postponed if it
 * only adds to the counts of a failing endpoint, or if another transaction locks the endpoint's row.
 */
export type PostponedSigns = ReadonlyMap<string, PostponedSign>

/** While an endpoint keeps failing, all workers together write its row at most once in this time. */
const WRITE_EVERY_MS = 1_000
/** The longest time for which a worker postpones signs, even if other workers write the row all the time. */
const LONGEST_POSTPONEMENT_MS = 5_000

/**
 * Collects what the attempts of a batch tell about the health of their endpoints, as signs in order. The signs that
 * earlier batches postponed come first.
 */
export class EndpointSigns {
  readonly #postponed: PostponedSigns
  readonly #byWebhook: Map<string, EndpointSign[]>

  constructor(postponed: PostponedSigns) {
    this.#postponed = postponed
    this.#byWebhook = new Map([...postponed].map(([webhookId, { signs }]) => [webhookId, [...signs]]))
  }

  /** Adds a recorded attempt. A failed test event is no sign, because a user may be trying things out. */
  add({ outcome, startedAt }: MadeAttempt, delivery: Delivery, now: Date): void {
    const isSuccess = isSuccessful(outcome)
    if (!isSuccess && isTest(delivery)) return
    const answered = outcome.kind === 'answered' ? outcome : undefined
    const sign = {
      deliveryId: delivery.id,
      isSuccess,
      isGone: isGone(outcome) && !isTest(delivery),
      code: attemptCode({
        responseCode: answered?.status ?? null,
        error: outcome.kind === 'unreachable' ? outcome.reason : null,
      }),
      startedAt,
      askedPauseMs: askedPauseMs(answered?.status, answered?.retryAfter, now),
    }
    const signs = this.#byWebhook.get(delivery.webhookId)
    if (signs) signs.push(sign)
    else this.#byWebhook.set(delivery.webhookId, [sign])
  }

  /**
   * Locks the health rows that these signs may change and computes the changes. A success of a healthy endpoint changes
   * nothing. Failures that only add to the counts of a failing endpoint wait until its row has stayed unchanged for a
   * second, but for five seconds at most. If another transaction locks the row of an endpoint, its signs wait too, in
   * their order.
   *
   * @param failing the failing endpoints that these signs are about, as this transaction read them
   * @returns `missing`: the webhook ids in `changed` that have no row yet. `postponed`: give it to the next batch. It
   *   is lost when the process ends
   */
  async changes(
    run: Run<SystemDb>,
    failing: ReadonlyMap<string, FailingEndpoint>,
    now: Date,
  ): Promise<{
    changed: ReadonlyMap<string, HealthChange>
    missing: readonly string[]
    postponed: PostponedSigns
  }> {
    const due = new Map<string, PostponedSign>()
    const postponed = new Map<string, PostponedSign>()
    for (const [webhookId, signs] of this.#byWebhook) {
      const known = failing.get(webhookId)
      if (!known && signs.every(({ isSuccess }) => isSuccess)) continue
      const unwritten = { signs, since: this.#postponed.get(webhookId)?.since ?? now }
      if (known && mayWait(known, unwritten, now)) postponed.set(webhookId, unwritten)
      else due.set(webhookId, unwritten)
    }
    const { locked, lockedElsewhere, missing } = await lockHealth(run, [...due.keys()])
    const changed = new Map<string, HealthChange>()
    for (const [webhookId, unwritten] of due) {
      if (lockedElsewhere.has(webhookId)) {
        postponed.set(webhookId, unwritten)
        continue
      }
      const before = locked.get(webhookId) ?? HEALTHY
      const after = unwritten.signs.reduce((health, sign) => afterOutcome(health, sign, now), before)
      changed.set(webhookId, { before, after })
    }
    return { changed, missing, postponed }
  }
}

function mayWait(
  { health, changedAt }: FailingEndpoint,
  { signs, since }: PostponedSign,
  now: Date,
): boolean {
  const nowMs = now.getTime()
  return (
    nowMs - changedAt.getTime() < WRITE_EVERY_MS &&
    nowMs - since.getTime() < LONGEST_POSTPONEMENT_MS &&
    signs.every((sign) => onlyCounts(health, sign, now))
  )
}
