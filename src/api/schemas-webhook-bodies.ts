import Joi from 'joi'
import type { AllowedNetwork } from '../domain/networks.js'
import {
  HEADER_LIMITS,
  checkWebhookHeaders,
  headerFault,
  RESERVED_HEADERS,
} from '../domain/webhook-headers.js'
import { checkWebhookUrl, MAXIMUM_URL_LENGTH } from '../domain/webhook-urls.js'
import { DEFAULT_MAX_RETRIES, MAXIMUM_MAX_RETRIES } from '../domain/webhooks.js'
import { anyCase } from './openapi/patterns.js'
import type { Examples } from './route.js'
import { eventType, readOnly, text, TEXT_PATTERN } from './schemas.js'

const LONGEST_RETRY_DELAY_S = 604_800

/** Fields of answers that a body may repeat. The secret is none of them: to drop it without a word would mislead. */
const READ_ONLY = [
  'id',
  'total_deliveries',
  'successful_deliveries',
  'failed_deliveries',
  'last_triggered_at',
  'deactivated_reason',
  'created_at',
  'updated_at',
]

/** The fields of a webhook as a body sets them. */
function fields(allowedNetworks: readonly AllowedNetwork[]) {
  return {
    name: text(255).description('Display name.'),
    description: text(2000)
      .allow('', null)
      .description('What the webhook is for; null for none.')
      .meta({ jsonSchema: { pattern: `^$|${TEXT_PATTERN}` } }),
    url: url(allowedNetworks),
    events: Joi.array()
      .items(eventType('"events" contains the unknown event type {{#shown}}'))
      .min(1)
      .max(100)
      .description('The event types to receive. Repeats are collapsed; an update replaces the whole list.'),
    headers: headers(),
    is_active: Joi.boolean().description('Whether events are delivered.'),
    max_retries: Joi.number()
      .integer()
      .min(0)
      .max(MAXIMUM_MAX_RETRIES)
      .description('Automatic retries of a failed delivery; for deliveries made from now on.'),
    retry_schedule: Joi.array()
      .items(Joi.number().integer().min(1).max(LONGEST_RETRY_DELAY_S))
      .min(1)
      .max(10)
      .allow(null)
      .description(
        'Whole seconds before each retry, each moved by up to 10 %; the last one repeats. null is the schedule of the service.',
      ),
    ...Object.fromEntries(READ_ONLY.map((name) => [name, readOnly()])),
  }
}

const url = (allowedNetworks: readonly AllowedNetwork[]) =>
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

const headers = () =>
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
  ...RESERVED_HEADERS.prefixes.map(anyCase),
].join('|')})`

export const createWebhookBody = (allowedNetworks: readonly AllowedNetwork[]) => {
  const { name, url: address, events, ...optional } = fields(allowedNetworks)
  return Joi.object({
    name: name.required(),
    url: address.required(),
    events: events.required(),
    ...optional,
    description: optional.description.default(null),
    headers: optional.headers.default({}),
    is_active: optional.is_active.default(true),
    max_retries: optional.max_retries.default(DEFAULT_MAX_RETRIES),
    retry_schedule: optional.retry_schedule.default(null),
    secret: Joi.forbidden().messages({
      'any.unknown': '{{#label}} is not allowed: the service issues it and shows it in the answer',
    }),
  }).id('NewWebhook')
}

export const changeWebhookBody = (allowedNetworks: readonly AllowedNetwork[]) =>
  Joi.object({
    ...fields(allowedNetworks),
    secret: Joi.string()
      .description('Accepted only as it is now, and changes nothing: regenerate-secret replaces it.')
      .meta({ jsonSchema: { writeOnly: true } }),
  }).id('WebhookChange')

/** Bodies that create a webhook, for the description of the API. */
export const NEW_WEBHOOK_EXAMPLES: Examples = {
  'Only what is required': {
    name: 'Contacts',
    url: 'https://hooks.example.com/contacts',
    events: ['contact.created', 'contact.updated'],
  },
  'Every field': {
    name: 'Contacts and deals',
    description: 'Feeds the data warehouse',
    url: 'https://hooks.example.com/sales',
    events: ['contact.created', 'contact.updated', 'deal.stage_changed'],
    headers: { Authorization: 'Bearer token-of-the-endpoint' },
    is_active: true,
    max_retries: 5,
    retry_schedule: [5, 300, 1800, 7200, 18_000],
  },
}

/** Bodies that change a webhook, for the description of the API. */
export const WEBHOOK_CHANGE_EXAMPLES: Examples = {
  'Other events': { events: ['contact.created', 'contact.deleted'] },
  'Hold deliveries back': { is_active: false },
  'The schedule of the service again': { retry_schedule: null, description: null },
}
