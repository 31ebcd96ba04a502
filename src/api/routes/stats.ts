import type { Deps } from '../../deps/deps.ts'
import { readWebhookStats } from '../../operations/webhook/read-stats.ts'
import { presentStats } from '../../presenters/stats.ts'
import { defineRoute, type AnyRoute } from '../routing/route.ts'
import { dataOf } from '../schemas/common.ts'
import { statsQuery, statsSchema } from '../schemas/stats.ts'
import { webhookTarget } from './webhooks.ts'

/** Statistics of a webhook's attempts. */
export function statsRoutes(deps: Deps): AnyRoute[] {
  const get = defineRoute('GET', '/api-v1-webhooks/:id/stats', {
    cost: 'report',
    scope: 'read:webhooks',
    operationId: 'getWebhookStats',
    summary: 'Get statistics of the attempts of a webhook',
    description:
      'Attempts, successes and failures by class of status and by error, and how long attempts took. Figures appear some seconds after an attempt.',
    query: statsQuery,
    target: webhookTarget(deps),
    answers: {
      200: { description: 'The totals of the window, and its hours or days.', schema: dataOf(statsSchema) },
    },
    handle: async ({ caller: { tenant }, target: webhook, query }) => ({
      body: { data: presentStats(await readWebhookStats(deps, tenant, webhook.id, query.window)) },
    }),
  })
  return [get]
}
