import Joi from 'joi'
import { withData } from '../../api/routing/route.ts'
import { dataOf } from '../../api/schemas/common.ts'
import { filterPreviewSchema, previewFields } from '../../api/schemas/filters.ts'
import { changeWebhookBody } from '../../api/schemas/webhook-bodies.ts'
import type { Deps } from '../../deps/deps.ts'
import { ApiError, invalid } from '../../domain/errors.ts'
import { checkFields, eventType } from '../../domain/fields/rules.ts'
import { compileAllowlist, reviewAllowlist } from '../../domain/key/allowlist.ts'
import { canonicalAddress } from '../../domain/net/addresses.ts'
import type { Filter } from '../../domain/webhook/filter/condition.ts'
import { previewFilter } from '../../operations/webhook/preview-filter.ts'
import { presentReview } from '../../presenters/console.ts'
import { presentFilterPreview } from '../../presenters/webhooks.ts'
import { allowlistVerdict, typedFaults } from '../answers.ts'
import { consoleRoute, type ConsoleRoute } from '../route.ts'
import { allowlistTestBody } from '../schemas.ts'

/* Checks of what a user edits in the console, before it is saved. They change nothing. */

/** Checks an allowlist: which entries are wrong, and whether it would permit an address. */
export const allowlistTestRoute = (): ConsoleRoute =>
  consoleRoute('POST', '/allowlist-test', 'cheap', 'keys.read', {
    body: allowlistTestBody,
    answers: { 200: { schema: dataOf(allowlistVerdict) } },
    handle: ({ body }) => {
      const address = body.address.trim()
      if (address !== '' && canonicalAddress(address) === undefined)
        throw invalid('"address" must be an IPv4 or IPv6 address.')
      const review = reviewAllowlist(body.ip_allowlist)
      const isKnown = address !== '' && review.faults.length === 0
      const isAllowed = isKnown ? compileAllowlist(review.entries)(address) : null
      return withData(presentReview(review, isAllowed))
    },
  })

const checkedBody = Joi.object<Readonly<Record<string, unknown>>>({ url: Joi.any(), headers: Joi.any() })

/** Checks fields of a webhook while somebody types them. The rules are the same as for a change of the webhook. */
export function webhookCheckRoute({ config }: Deps): ConsoleRoute {
  const rules = changeWebhookBody(config.webhookAllowedNetworks)
  return consoleRoute('POST', '/webhook-check', 'write', 'webhooks.write', {
    body: checkedBody,
    answers: { 200: { schema: dataOf(typedFaults) } },
    handle: ({ body }) => {
      const faults = Object.entries(body).flatMap(([field, value]) => {
        const fault = faultOf(rules, { [field]: value })
        return fault === undefined ? [] : [[field, fault] as const]
      })
      return withData({ faults: Object.fromEntries(faults) })
    },
  })
}

/** Why the fields would be refused; undefined if they would not. */
function faultOf(rules: Joi.ObjectSchema, fields: object): string | undefined {
  try {
    checkFields(rules, fields)
    return undefined
  } catch (error) {
    if (error instanceof ApiError && error.code === 'VALIDATION_ERROR') return error.message
    throw error
  }
}

const previewBody = Joi.object<{ filter: Filter | null; events: readonly string[]; limit: number }>({
  filter: previewFields.filter.required(),
  limit: previewFields.limit,
  events: Joi.array()
    .items(eventType('"events" contains the unknown event type {{#shown}}'))
    .min(1)
    .max(100)
    .required(),
})

/** Tries a filter on real events. */
export const filterPreviewRoute = (deps: Deps): ConsoleRoute =>
  consoleRoute('POST', '/filter-preview', 'report', 'webhooks.read', {
    body: previewBody,
    answers: { 200: { schema: dataOf(filterPreviewSchema) } },
    handle: async ({ caller: { tenant }, body: { filter, events: types, limit } }) =>
      withData(presentFilterPreview(await previewFilter(deps, tenant, { filter, types, limit }))),
  })
