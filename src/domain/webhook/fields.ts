import Joi from 'joi'
import type { AllowedNetwork } from '../net/networks.ts'
import { HEADER_LIMITS, checkWebhookHeaders, headerFault, RESERVED_HEADERS } from './headers.ts'
import { parseFilter } from './filter/check.ts'
import type { Filter } from './filter/condition.ts'
import { checkWebhookUrl, MAXIMUM_URL_LENGTH } from './url.ts'
import { checkFields } from '../fields/check-fields.ts'
import { anyCase } from '../fields/patterns.ts'
import { eventType, text, TEXT_PATTERN } from '../fields/rules.ts'
import { MAXIMUM_MAX_RETRIES, type WebhookSettings } from './webhook.ts'

/** Where a webhook may point to, as ./url.ts decides. */
const endpointUrl = (allowedNetworks: readonly AllowedNetwork[]) =>
  Joi.string()
    .custom((value: string, helpers) => {
      const verdict = checkWebhookUrl(value, allowedNetworks)
      return verdict.ok ? value : helpers.error('url.refused', { reason: verdict.reason })
    })
    .messages({ 'url.refused': '{{#reason}}' })
    .description(
      'HTTPS URL that receives the events. It must parse as a URL and point to a public address; ports that browsers block are refused.',
    )
    .meta({ jsonSchema: { maxLength: MAXIMUM_URL_LENGTH, pattern: URL_PATTERN } })

/** No space, control character or backslash anywhere, no user name, password or fragment. */
const URL_PATTERN = String.raw`^${anyCase('https')}://[^/?#@\\\s\x00-\x1F\x7F-\x9F]+([/?][^#\\\s\x00-\x1F\x7F-\x9F]*)?$`

/** The custom headers of a webhook, each with its own fault, as ./headers.ts decides. */
const customHeaders = () =>
  Joi.object()
    .pattern(
      Joi.string().allow(''),
      Joi.string()
        .allow('')
        .custom((value: string, helpers) => {
          const reason = headerFault(String(helpers.state.path?.at(-1)), value)
          return reason === undefined ? value : helpers.error('header.refused', { reason })
        }),
    )
    .custom((value: Record<string, string>, helpers) => {
      const verdict = checkWebhookHeaders(value)
      return verdict.ok ? value : helpers.error('header.refused', { reason: verdict.reason })
    })
    .messages({ 'header.refused': '{{#reason}}' })
    .description(
      'Custom HTTP headers of every delivery; an update replaces all of them. At most 16 KiB in all; no name twice in different case.',
    )
    .meta({
      jsonSchema: {
        maxProperties: HEADER_LIMITS.count,
        propertyNames: {
          pattern: `^[!#$%&'*+.^_\`|~0-9A-Za-z-]{1,${HEADER_LIMITS.nameLength}}$`,
          not: { pattern: RESERVED_PATTERN },
        },
        additionalProperties: {
          type: 'string',
          maxLength: HEADER_LIMITS.valueBytes,
          pattern: String.raw`^([!-~\xA0-\xFF]([\t -~\xA0-\xFF]*[!-~\xA0-\xFF])?)?$`,
        },
      },
    })

const RESERVED_PATTERN = `^(${[
  ...RESERVED_HEADERS.names.map((name) => `${anyCase(name)}$`),
  ...RESERVED_HEADERS.nameStarts.map(anyCase),
].join('|')})`

/** A condition for events, as ./filter/check.ts decides. */
export const eventFilter = () =>
  Joi.object<Filter>()
    .custom((value: Filter, helpers) => {
      const verdict = parseFilter(value)
      return verdict.ok ? value : helpers.error('filter.refused', { reason: verdict.reason })
    })
    .messages({ 'filter.refused': '{{#reason}}' })
    .description(
      'Only events that match make deliveries; null for no filter. A condition in the query form of MongoDB with $and, $or, ' +
        '$not, $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists and $regex (RE2), over the paths event, data.…, previous.… ' +
        'and subject. At most 4 KiB and 5 objects deep.',
    )
    .meta({ jsonSchema: { minProperties: 1, propertyNames: { pattern: FILTER_NAMES } } })

const FILTER_NAMES = String.raw`^(\$(and|or|not)|event|subject|(data|previous)(\.[^.]+)*)$`

const LONGEST_RETRY_DELAY_S = 604_800

/**
 * The rule of each setting of a webhook, for the api, the console and the command line alike.
 *
 * @param allowedNetworks networks that the operator exempts from the address guard
 */
export const webhookFields = (allowedNetworks: readonly AllowedNetwork[]) => ({
  name: text(255).description('Display name.'),
  description: text(2000)
    .allow('', null)
    .description('What the webhook is for; null for none.')
    .meta({ jsonSchema: { pattern: `^$|${TEXT_PATTERN}` } }),
  url: endpointUrl(allowedNetworks),
  events: Joi.array()
    .items(eventType('"events" contains the unknown event type {{#shown}}'))
    .min(1)
    .max(100)
    .custom((events: readonly string[]) => [...new Set(events)])
    .description('The event types to receive. Repeats are collapsed; an update replaces the whole list.'),
  headers: customHeaders(),
  isActive: Joi.boolean().description('Whether events are delivered.'),
  maxRetries: Joi.number()
    .integer()
    .min(0)
    .max(MAXIMUM_MAX_RETRIES)
    .description('Automatic retries of a failed delivery; for deliveries made from now on.'),
  retrySchedule: Joi.array()
    .items(Joi.number().integer().min(1).max(LONGEST_RETRY_DELAY_S))
    .min(1)
    .max(10)
    .allow(null)
    .description(
      'Whole seconds before each retry, each moved by up to 10 %; the last one repeats. null is the schedule of the service.',
    ),
  filter: eventFilter().allow(null),
  sendTraceparent: Joi.boolean().description(
    'Whether deliveries carry the header traceparent (W3C Trace Context), so that the trace of the event goes on at the endpoint.',
  ),
})

type Schemas = { readonly create: Joi.ObjectSchema; readonly change: Joi.ObjectSchema }

/** A process builds its schemas once: its networks come from the configuration, and building takes long. */
const schemas = new WeakMap<readonly AllowedNetwork[], Schemas>()

function schemasFor(allowedNetworks: readonly AllowedNetwork[]): Schemas {
  const known = schemas.get(allowedNetworks)
  if (known) return known
  const change = Joi.object(webhookFields(allowedNetworks))
  const built = { change, create: change.fork(['name', 'url', 'events'], (rule) => rule.required()) }
  schemas.set(allowedNetworks, built)
  return built
}

/** Checks the settings of a new webhook. @throws ApiError VALIDATION_ERROR that names every field with a fault */
export const checkNewWebhook = <Settings extends Partial<WebhookSettings>>(
  settings: Settings,
  allowedNetworks: readonly AllowedNetwork[],
): Settings => checkFields(schemasFor(allowedNetworks).create, settings) as Settings

/** Checks the settings that a change gives. @throws ApiError VALIDATION_ERROR */
export const checkWebhookChange = (
  settings: Partial<WebhookSettings>,
  allowedNetworks: readonly AllowedNetwork[],
): Partial<WebhookSettings> =>
  checkFields(schemasFor(allowedNetworks).change, settings) as Partial<WebhookSettings>
