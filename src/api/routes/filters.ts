import type { Deps } from '../../deps/deps.ts'
import { previewFilter } from '../../operations/webhook/preview-filter.ts'
import { presentFilterPreview } from '../../presenters/webhooks.ts'
import { defineRoute, type AnyRoute } from '../routing/route.ts'
import { dataOf } from '../schemas/common.ts'
import { filterPreviewBody, filterPreviewSchema } from '../schemas/filters.ts'
import { webhookTarget } from './webhooks.ts'

/** Tries filters on real events. */
export function filterRoutes(deps: Deps): AnyRoute[] {
  const preview = defineRoute('POST', '/api-v1-webhooks/:id/filter/preview', {
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
      200: {
        description: 'How many events match, with examples.',
        schema: dataOf(filterPreviewSchema),
      },
    },
    handle: async ({ caller: { tenant }, target: webhook, body: { filter, since, limit } }) => {
      const found = await previewFilter(deps, tenant, {
        filter: filter === undefined ? webhook.filter : filter,
        types: webhook.events,
        since: since === undefined ? undefined : new Date(since),
        limit,
      })
      return { body: { data: presentFilterPreview(found) } }
    },
  })
  return [preview]
}
