import Joi from 'joi'
import { dataOf } from '../../api/schemas/common.ts'
import { filterPreviewSchema, previewFields } from '../../api/schemas/filters.ts'
import { eventType } from '../../domain/fields/rules.ts'
import type { Filter } from '../../domain/webhook/filter/condition.ts'
import type { Deps } from '../../deps/deps.ts'
import { previewFilter } from '../../operations/webhook/preview-filter.ts'
import { presentFilterPreview } from '../../presenters/webhooks.ts'
import { withData } from '../../api/routing/route.ts'
import { defineConsoleRoute, type ConsoleRoute } from '../route.ts'

type PreviewBody = {
  readonly filter: Filter | null
  readonly events: readonly string[]
  readonly limit: number
}

const previewBody = Joi.object<PreviewBody>({
  filter: previewFields.filter.required(),
  limit: previewFields.limit,
  events: Joi.array()
    .items(eventType('"events" contains the unknown event type {{#shown}}'))
    .min(1)
    .max(100)
    .required(),
})

/** Tries a filter on real events while somebody edits a webhook, which may not be there yet. */
export function filterPreviewRoutes(deps: Deps): ConsoleRoute[] {
  const preview = defineConsoleRoute('POST', '/filter-preview', {
    cost: 'report',
    action: 'webhooks.read',
    body: previewBody,
    answers: { 200: { schema: dataOf(filterPreviewSchema) } },
    handle: async ({ caller: { tenant }, body: { filter, events: types, limit } }) =>
      withData(presentFilterPreview(await previewFilter(deps, tenant, { filter, types, limit }))),
  })
  return [preview]
}
