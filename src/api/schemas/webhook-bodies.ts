import Joi from 'joi'
import type { AllowedNetwork } from '../../domain/net/addresses.ts'
import { snakeCased } from '../../domain/fields/case.ts'
import { DEFAULT_SETTINGS, webhookFields } from '../../domain/webhook/settings.ts'
import type { Examples } from '../routing/route.ts'
import { readOnly } from './common.ts'

/**
 * Fields of answers that a body may repeat. The secret is not among them: to ignore another secret silently would
 * mislead the client.
 */
const readOnlyFields = readOnly(
  'id',
  'total_deliveries',
  'successful_deliveries',
  'failed_deliveries',
  'last_triggered_at',
  'deactivated_reason',
  'health',
  'created_at',
  'updated_at',
)

/** A new webhook. Only three fields are required. */
export function createWebhookBody(allowedNetworks: readonly AllowedNetwork[]) {
  const rules = webhookFields(allowedNetworks)
  const { name, url, events, ...optional } = rules
  const withDefaults = Object.entries(optional).map(
    ([field, rule]) => [field, rule.default(DEFAULT_SETTINGS[field as keyof typeof optional])] as const,
  )
  return Joi.object<Record<string, unknown>>({
    name: name.required(),
    url: url.required(),
    events: events.required(),
    ...snakeCased(Object.fromEntries(withDefaults)),
    ...readOnlyFields,
    secret: Joi.forbidden().messages({
      'any.unknown': '{{#label}} is not allowed: the service issues it and shows it in the answer',
    }),
  }).id('WebhookInput')
}

export const changeWebhookBody = (allowedNetworks: readonly AllowedNetwork[]) =>
  Joi.object<Record<string, unknown>>({
    ...snakeCased<Joi.Schema>(webhookFields(allowedNetworks)),
    ...readOnlyFields,
    secret: Joi.string()
      .description('Accepted only as it is now, and changes nothing: regenerate-secret replaces it.')
      .meta({ jsonSchema: { writeOnly: true } }),
  }).id('WebhookChange')

/** Example bodies that create a webhook, for the OpenAPI document. */
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
    filter: { $or: [{ event: 'contact.created' }, { 'data.amount': { $gte: 1_000 } }] },
  },
}

/** Example bodies that change a webhook, for the OpenAPI document. */
export const WEBHOOK_CHANGE_EXAMPLES: Examples = {
  'Other events': { events: ['contact.created', 'contact.deleted'] },
  'Hold deliveries back': { is_active: false },
  'Only deals that were won': { filter: { 'data.stage': 'won', 'previous.stage': { $exists: true } } },
  'Every event again': { filter: null },
  'The schedule of the service again': { retry_schedule: null, description: null },
}
