import type { Deps } from '../../deps/deps.ts'
import { previewFilter } from '../../operations/webhook/preview-filter.ts'
import { readWebhookStats } from '../../operations/webhook/read-stats.ts'
import { presentStats } from '../../presenters/stats.ts'
import { presentFilterPreview } from '../../presenters/webhooks.ts'
import { defineRoute, withData, type AnyRoute } from '../routing/route.ts'
import { dataOf } from '../schemas/common.ts'
import { filterPreviewBody, filterPreviewSchema } from '../schemas/filters.ts'
import { statsQuery, statsSchema } from '../schemas/stats.ts'
import { webhookTarget } from './webhooks.ts'

/** Statistics of a webhook's attempts. */
export const statsRoute = (deps: Deps): AnyRoute =>
  defineRoute('GET', '/api-v1-webhooks/:id/stats', {
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
    handle: async ({ caller: { tenant }, target: webhook, query }) =>
      withData(presentStats(await readWebhookStats(deps, tenant, webhook.id, query.window))),
  })

/** Tries filters on real events. */
export const filterPreviewRoute = (deps: Deps): AnyRoute =>
  defineRoute('POST', '/api-v1-webhooks/:id/filter/preview', {
    cost: 'report',
    scope: 'read:webhooks',
    operationId: 'previewFilter',
    summary: 'Tell which real events match a filter, and why',
    description:
      "Judges the latest events of the webhook's types, among the latest 10,000 events of the company. Shows values of every family.",
    target: webhookTarget(deps),
    body: filterPreviewBody,
    isBodyOptional: true,
    examples: { 'A filter to try': { filter: { 'data.stage': 'won' }, limit: 100 } },
    answers: {
      200: { description: 'How many events match, with examples.', schema: dataOf(filterPreviewSchema) },
    },
    handle: async ({ caller: { tenant }, target: webhook, body: { filter, since, limit } }) => {
      const found = await previewFilter(deps, tenant, {
        filter: filter === undefined ? webhook.filter : filter,
        types: webhook.events,
        since,
        limit,
      })
      return withData(presentFilterPreview(found))
    },
  })
