import Joi from 'joi'
import type { AllowedNetwork } from '../../domain/net/networks.js'
import { DEFAULT_MAX_RETRIES, MAXIMUM_MAX_RETRIES } from '../../domain/webhook/webhook.js'
import type { Examples } from '../routing/route.js'
import { eventType, readOnly, text, TEXT_PATTERN } from './common.js'
import { customHeaders, endpointUrl } from './webhook-fields.js'

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
    url: endpointUrl(allowedNetworks),
    events: Joi.array()
      .items(eventType('"events" contains the unknown event type {{#shown}}'))
      .min(1)
      .max(100)
      .description('The event types to receive. Repeats are collapsed; an update replaces the whole list.'),
    headers: customHeaders(),
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

export const createWebhookBody = (allowedNetworks: readonly AllowedNetwork[]) => {
  const { name, url, events, ...optional } = fields(allowedNetworks)
  return Joi.object({
    name: name.required(),
    url: url.required(),
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
