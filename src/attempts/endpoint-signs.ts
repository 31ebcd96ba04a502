import { lockHealth } from '../db/system/endpoint-health.js'
import type { Run } from '../db/connection/statements.js'
import { askedPauseMs } from '../domain/delivery/backoff.js'
import { isTest, type Delivery } from '../domain/delivery/delivery.js'
import { isGone, isSuccessful, type MadeAttempt } from '../domain/delivery/outcome.js'
import { afterOutcome, HEALTHY, type EndpointHealth, type EndpointSign } from '../domain/webhook/health.js'

/** How the health of an endpoint changed. */
export type HealthChange = { readonly before: EndpointHealth; readonly after: EndpointHealth }

/** What the recorded attempts of a batch tell about endpoints, in their order. */
export class EndpointSigns {
  readonly #byWebhook = new Map<string, EndpointSign[]>()

  /** Adds a recorded attempt. A failed test event tells nothing: somebody may be trying things out. */
  add({ outcome, startedAt }: MadeAttempt, delivery: Delivery, now: Date): void {
    const isSuccess = isSuccessful(outcome)
    if (!isSuccess && isTest(delivery)) return
    const answered = outcome.kind === 'answered' ? outcome : undefined
    const sign = {
      deliveryId: delivery.id,
      isSuccess,
      isGone: isGone(outcome) && !isTest(delivery),
      startedAt,
      askedPauseMs: askedPauseMs(answered?.status, answered?.retryAfter, now),
    }
    const signs = this.#byWebhook.get(delivery.webhookId)
    if (signs) signs.push(sign)
    else this.#byWebhook.set(delivery.webhookId, [sign])
  }

  /**
   * Gives what they change. It locks the rows that may change: those of endpoints that failed now or at their latest
   * attempts. A success of an endpoint that was well changes nothing. The webhooks that a 410 deactivates are locked first,
   * as a change of a webhook does, so that the two cannot deadlock.
   *
   * @param failing webhooks whose latest attempts failed, as the database has it
   */
  async changes(run: Run, failing: readonly string[], now: Date): Promise<Map<string, HealthChange>> {
    const concerned = [...this.#byWebhook].filter(
      ([webhookId, signs]) => failing.includes(webhookId) || signs.some(({ isSuccess }) => !isSuccess),
    )
    const locked = await lockHealth(
      run,
      concerned.map(([webhookId]) => webhookId),
      concerned.flatMap(([webhookId, signs]) => (signs.some((sign) => sign.isGone) ? [webhookId] : [])),
    )
    return new Map(
      concerned.map(([webhookId, signs]) => {
        const before = locked.get(webhookId) ?? HEALTHY
        const after = signs.reduce((health, sign) => afterOutcome(health, sign, now), before)
        return [webhookId, { before, after }]
      }),
    )
  }
}
