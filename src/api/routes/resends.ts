import type { Deps } from '../../deps/deps.ts'
import { resendDelivery, type ResentDelivery } from '../../operations/delivery/resend.ts'
import { presentListedDelivery } from '../../presenters/deliveries.ts'
import { defineRoute, type Answer, type AnyRoute } from '../routing/route.ts'
import { dataOf } from '../schemas/common.ts'
import { deliverySchema } from '../schemas/webhooks.ts'
import { deliveryTarget } from './deliveries.ts'

/** Sends the event of a delivery once more. */
export function resendRoutes(deps: Deps): AnyRoute[] {
  const resend = defineRoute({
    method: 'POST',
    cost: 'write',
    path: '/api-v1-webhooks/:id/deliveries/:deliveryId/resend',
    scope: 'write:webhooks',
    operationId: 'resendDelivery',
    summary: 'Send the event of a delivery that has ended once more, also after a success',
    description:
      'Makes a new delivery with the same `webhook-id`, so a receiver that drops repetitions drops it. `resend_of` names ' +
      'the original. While the webhook is inactive it waits. A delivery that has not ended, and a test event, are refused.',
    target: deliveryTarget(deps),
    answers: { 202: { description: 'The new delivery.', schema: dataOf(deliverySchema) } },
    handle: async ({ caller: { tenant }, target: { webhook, delivery }, hold }) => {
      const kept = { hold, toAnswer: resentAnswer }
      return resentAnswer(await resendDelivery(deps, tenant, webhook.id, delivery.id, kept))
    },
  })
  return [resend]
}

const resentAnswer = (resent: ResentDelivery): Answer => ({
  status: 202,
  body: { data: presentListedDelivery(resent) },
})
