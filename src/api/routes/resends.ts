import type { Deps } from '../../deps/deps.ts'
import { resendDelivery, sendEvent } from '../../operations/delivery/again.ts'
import { getEvent } from '../../operations/event/read.ts'
import { presentListedDelivery } from '../../presenters/deliveries.ts'
import { defineRoute, presented, type AnyRoute } from '../routing/route.ts'
import { dataOf } from '../schemas/common.ts'
import { deliverySchema } from '../schemas/webhooks.ts'
import { deliveryTarget } from './deliveries.ts'
import { webhookTarget } from './webhooks.ts'

/** Sends an event by hand: again after its delivery has ended, or to a webhook that has no delivery of it. */
export function resendRoutes(deps: Deps): AnyRoute[] {
  const resend = defineRoute('POST', '/api-v1-webhooks/:id/deliveries/:deliveryId/resend', {
    cost: 'write',
    scope: 'write:webhooks',
    operationId: 'resendDelivery',
    summary: 'Send the event of a delivery that has ended once more, also after a success',
    description:
      'Makes a new delivery with the same `webhook-id`, so a receiver that drops repetitions drops it. `resend_of` names ' +
      'the original. While the webhook is inactive it waits. A delivery that has not ended, and a test event, are refused.',
    target: deliveryTarget(deps),
    answers: { 202: { description: 'The new delivery.', schema: dataOf(deliverySchema) } },
    handle: ({ caller: { tenant, actor }, target: { webhook, delivery }, answerOnce }) =>
      answerOnce(presented(presentListedDelivery, 202), (kept) =>
        resendDelivery(deps, tenant, actor, webhook.id, delivery.id, kept),
      ),
  })
  const send = defineRoute('POST', '/api-v1-webhooks/:id/events/:eventId/send', {
    cost: 'write',
    scope: 'write:webhooks',
    operationId: 'sendEvent',
    summary: 'Send an event to a webhook that has no delivery of it',
    description:
      'Whatever kept it away: the type, the filter, a pause, or that the webhook is newer than the event. While the webhook is ' +
      'inactive it waits. An event that the webhook has a delivery of, and a test event, are refused.',
    target: async (request) => ({
      webhook: await webhookTarget(deps)(request),
      event: await getEvent(deps, request.caller.tenant, request.params['eventId'] ?? ''),
    }),
    answers: { 202: { description: 'The new delivery.', schema: dataOf(deliverySchema) } },
    handle: ({ caller: { tenant, actor }, target: { webhook, event }, answerOnce }) =>
      answerOnce(presented(presentListedDelivery, 202), (kept) =>
        sendEvent(deps, tenant, actor, webhook.id, event, kept),
      ),
  })

  return [resend, send]
}
