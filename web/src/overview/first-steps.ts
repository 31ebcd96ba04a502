import type { PageOf } from '../common/api/paging.ts'
import type { Webhook } from '../common/api/wire.ts'

/** How far a new environment has come. `webhook` is the one to continue with. */
export type FirstSteps = {
  readonly webhook: Webhook | undefined
  readonly isSent: boolean
  readonly hasArrived: boolean
  readonly isOver: boolean
}

/** An environment with this many deliveries is no longer new. */
const FIRST_DELIVERIES = 5

/**
 * The first steps of an environment. They end once an event was delivered and a few more were sent, or once the webhooks
 * fill more than a page.
 *
 * @param page the first page of its webhooks
 */
export function firstStepsOf({ data: webhooks, pagination }: PageOf<Webhook>): FirstSteps {
  const hasArrived = webhooks.some(({ health: { last_success_at: at } }) => at !== null)
  const sent = webhooks.reduce((sum, { total_deliveries: made }) => sum + made, 0)
  return {
    webhook: webhooks.find(({ is_active: isActive }) => isActive) ?? webhooks[0],
    isSent: sent > 0,
    hasArrived,
    isOver: pagination.total > webhooks.length || (hasArrived && sent >= FIRST_DELIVERIES),
  }
}
