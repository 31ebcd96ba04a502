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

/** Signs of failing endpoints that only add to counts and are not written yet, and since when, by webhook id. */
export type PostponedSigns = ReadonlyMap<string, PostponedSign>

/** Shortest time between two writes to the row of an endpoint that goes on failing, over all workers. */
const WRITE_EVERY_MS = 1_000
/** How long a worker postpones at most, even if others write the row all the time. */
const LONGEST_POSTPONEMENT_MS = 5_000

/** What the attempts of a batch show about their endpoints, in order. What earlier batches postponed comes first. */
export class EndpointSigns {
  readonly #postponed: PostponedSigns
  readonly #byWebhook: Map<string, EndpointSign[]>

  constructor(postponed: PostponedSigns) {
    this.#postponed = postponed
    this.#byWebhook = new Map([...postponed].map(([webhookId, { signs }]) => [webhookId, [...signs]]))
  }

  /** Adds a recorded attempt. A failed test event does not count: a user may be trying things out. */
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
   * nothing. Failures that only add to the counts of a failing endpoint wait until its row is a second old. The webhooks that
   * a 410 deactivates are locked first, as a change of a webhook does, so that the two cannot deadlock.
   *
   * @param failing endpoints whose latest attempts failed, as the database has them
   * @returns `postponed`: give it to the next batch. It is lost when the process ends
   */
  async changes(
    run: Run<SystemDb>,
    failing: ReadonlyMap<string, FailingEndpoint>,
    now: Date,
  ): Promise<{ changed: ReadonlyMap<string, HealthChange>; postponed: PostponedSigns }> {
    const due: [string, readonly EndpointSign[]][] = []
    const postponed = new Map<string, PostponedSign>()
    for (const [webhookId, signs] of this.#byWebhook) {
      const known = failing.get(webhookId)
      if (!known && signs.every(({ isSuccess }) => isSuccess)) continue
      const unwritten = { signs, since: this.#postponed.get(webhookId)?.since ?? now }
      if (known && mayWait(known, unwritten, now)) postponed.set(webhookId, unwritten)
      else due.push([webhookId, signs])
    }
    const locked = await lockHealth(
      run,
      due.map(([webhookId]) => webhookId),
      due.flatMap(([webhookId, signs]) => (signs.some((sign) => sign.isGone) ? [webhookId] : [])),
    )
    const changed = due.map(([webhookId, signs]) => {
      const before = locked.get(webhookId) ?? HEALTHY
      const after = signs.reduce((health, sign) => afterOutcome(health, sign, now), before)
      return [webhookId, { before, after }] as const
    })
    return { changed: new Map(changed), postponed }
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
