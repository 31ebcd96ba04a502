import type { Deps } from '../../deps/deps.ts'
import { ApiError } from '../../domain/errors.ts'
import { WEBHOOK_USER_AGENT } from '../../domain/webhook/headers.ts'
import { listOverviews } from '../../operations/delivery/overview.ts'
import { retryDelivery } from '../../operations/delivery/again.ts'
import {
  getDelivery,
  holdingOf,
  listAttempts,
  listDeliveries,
  listLatestAttempts,
} from '../../operations/delivery/read.ts'
import { sendTestEvent } from '../../operations/delivery/test-event.ts'
import {
  presentAttempt,
  presentDelivery,
  presentDeliveryDetail,
  presentListedDelivery,
  presentQueuedRetry,
  presentTestResult,
} from '../../presenters/deliveries.ts'
import { presentCursorPage, presentPage } from '../../presenters/pagination.ts'
import { defineRoute, presented, withData, type AnyRoute, type ApiRequest } from '../routing/route.ts'
import { testEventBody } from '../schemas/events.ts'
import { alwaysTrue, count, countOrNull, flag, objectOf, textOrNull, word } from '../schemas/answer-fields.ts'
import {
  anyListOf,
  cursorListOf,
  cursorQuery,
  dataOf,
  HOW_TO_GO_ON,
  HOW_TO_SEARCH,
} from '../schemas/common.ts'
import { filterOf, isByCursor, partOf, webhookDeliveriesQuery } from '../schemas/lists.ts'
import { attemptSchema, deliveryDetailSchema, deliverySchema, latestError } from '../schemas/webhooks.ts'
import { webhookTarget } from './webhooks.ts'

const PATH = '/api-v1-webhooks/:id'

/** Finds the delivery in the path. It must belong to the webhook in the path. */
export const deliveryTarget =
  (deps: Deps) =>
  ({ caller, params }: Pick<ApiRequest, 'caller' | 'params'>) =>
    getDelivery(deps, caller.tenant, params['id'] ?? '', params['deliveryId'] ?? '')

/** Deliveries of a webhook: list, get, test event, manual retry. */
export function deliveryRoutes(deps: Deps): AnyRoute[] {
  const target = webhookTarget(deps)

  const list = defineRoute('GET', `${PATH}/deliveries`, {
    cost: 'list',
    searchCost: 'report',
    scope: 'read:webhooks',
    operationId: 'listDeliveries',
    summary: 'List the deliveries of a webhook',
    description:
      'Includes the payloads of all families that the webhook subscribes to, even those that the key may not read. By page, with the ' +
      'total; or by cursor as soon as `cursor` (empty for the first page) or a filter other than `status` is sent. ' +
      `${HOW_TO_GO_ON} ${HOW_TO_SEARCH}`,
    query: webhookDeliveriesQuery,
    target,
    answers: {
      200: { description: 'A page of deliveries, newest first.', schema: anyListOf(deliverySchema) },
    },
    handle: async ({ caller: { tenant }, target: webhook, query, makeRoom }) => {
      const { limit, page = 1, status: statuses, payload: withPayload } = query
      if (isByCursor(query)) {
        const scope = { tenants: [tenant], webhookId: webhook.id }
        const request = { ...partOf(query), filter: filterOf(query) }
        const found = await listOverviews(deps, scope, request, makeRoom)
        return { body: presentCursorPage(found, presentListedDelivery) }
      }
      const request = { limit, page, statuses, withPayload }
      const deliveries = await listDeliveries(deps, tenant, webhook, request, makeRoom)
      const holding = await holdingOf(deps, tenant, webhook)
      return { body: presentPage(deliveries, (delivery) => presentDelivery(delivery, holding)) }
    },
  })

  const get = defineRoute('GET', `${PATH}/deliveries/:deliveryId`, {
    cost: 'cheap',
    scope: 'read:webhooks',
    operationId: 'getDelivery',
    summary: 'Get one delivery with its payload and latest attempts',
    target: deliveryTarget(deps),
    answers: {
      200: { description: 'The delivery and its latest 20 attempts.', schema: dataOf(deliveryDetailSchema) },
    },
    handle: async ({ caller: { tenant }, target: { webhook, delivery } }) => {
      const attempts = await listLatestAttempts(deps, tenant, delivery)
      const holding = await holdingOf(deps, tenant, webhook)
      return withData(presentDeliveryDetail(delivery, holding, attempts))
    },
  })

  const test = defineRoute('POST', `${PATH}/test`, {
    cost: 'write',
    scope: 'write:webhooks',
    operationId: 'sendTestEvent',
    summary: 'Send a test event and wait for its result',
    description:
      'Without a body, sends a test.webhook event. With `event`, sends a test event of that type, even if the webhook does not ' +
      "subscribe to it, with the catalog's example or with the `data` and other fields that you give. Its id begins with evt_test_.",
    target,
    body: testEventBody,
    isBodyOptional: true,
    examples: {
      'As one of a type': { event: 'deal.stage_changed' },
      'With data of your own': { event: 'contact.created', data: { id: '17', name: 'Example Contact' } },
    },
    answers: {
      200: {
        description: 'What came of it. `success` is false when the endpoint failed or was not reached.',
        schema: dataOf(
          objectOf({
            success: flag,
            delivery_id: word,
            response_code: countOrNull,
            response_body: textOrNull,
            error: latestError,
            duration_ms: count,
          }).id('TestResult'),
        ),
      },
    },
    handle: async (request) => {
      const { caller, target, header, traceparent } = request
      const { event, ...content } = request.body
      if (header('User-Agent') === WEBHOOK_USER_AGENT) throw endless()
      const options = { wanted: event && { event, ...content }, traceparent }
      const sent = await sendTestEvent(deps, caller.tenant, caller.actor, target.id, options)
      return withData(presentTestResult(sent))
    },
  })

  const retry = defineRoute('POST', `${PATH}/deliveries/:deliveryId/retry`, {
    cost: 'write',
    scope: 'write:webhooks',
    operationId: 'retryDelivery',
    summary: 'Retry a delivery that has not succeeded',
    target: deliveryTarget(deps),
    answers: {
      200: {
        description:
          'Queued. While the webhook is inactive or the company suspended, `message` says what the attempt waits for.',
        schema: dataOf(objectOf({ success: alwaysTrue, message: word }).id('RetryResult')),
      },
    },
    handle: ({ caller: { tenant, actor }, arrivedAt, target: { webhook, delivery }, answerOnce }) =>
      answerOnce(presented(presentQueuedRetry), (kept) =>
        retryDelivery(deps, tenant, actor, webhook.id, delivery.id, arrivedAt, kept),
      ),
  })

  return [list, get, test, retry]
}

/** Lists all attempts of a delivery. Manual retries can make many, and the page of a delivery shows only the latest. */
export const attemptListRoute = (deps: Deps): AnyRoute =>
  defineRoute('GET', '/api-v1-webhooks/:id/deliveries/:deliveryId/attempts', {
    cost: 'list',
    scope: 'read:webhooks',
    operationId: 'listAttempts',
    summary: 'List the attempts of a delivery by cursor',
    query: cursorQuery(),
    target: deliveryTarget(deps),
    answers: {
      200: {
        description:
          'Attempts, newest first; response bodies and headers of the latest 20, null for those before.',
        schema: cursorListOf(attemptSchema),
      },
    },
    handle: async ({ caller: { tenant }, target: { delivery }, query }) => {
      const page = await listAttempts(deps, tenant, delivery, query)
      return { body: presentCursorPage(page, presentAttempt) }
    },
  })

/**
 * Without this, a webhook could call itself for ever, if its URL is the route of its own test event and its headers
 * have a key.
 */
const endless = () =>
  new ApiError('INVALID_REQUEST', 'A delivery cannot ask for a test event: each would send the next.')
