import Joi from 'joi'
import { DELIVERY_STATUSES } from '../domain/deliveries.js'
import { EVENT_TYPES } from '../domain/event-types.js'
import { TEST_EVENT_TYPE } from '../domain/events.js'
import type { AllowedNetwork } from '../domain/networks.js'
import { checkWebhookHeaders } from '../domain/webhook-headers.js'
import { checkWebhookUrl } from '../domain/webhook-urls.js'
import { MAXIMUM_MAX_RETRIES } from '../domain/webhooks.js'
import { text, timestamp } from './schemas.js'

const SHOWN_CHARACTERS = 100
const LONGEST_RETRY_DELAY_S = 604_800

/** Fields that answers carry and that a body may repeat, so that GET -> PATCH round-trips; they are not stored. */
const READ_ONLY = [
  'id',
  'secret',
  'total_deliveries',
  'successful_deliveries',
  'failed_deliveries',
  'last_triggered_at',
  'deactivated_reason',
  'created_at',
  'updated_at',
]

/** The message names the offending type, as JSON, cut. */
const eventType = Joi.string()
  .valid(...EVENT_TYPES)
  .messages({ 'any.only': '"events" contains the unknown event type {{#shown}}' })
  .error((errors) => {
    for (const { local } of errors as { local: Record<string, unknown> }[]) {
      local['shown'] = JSON.stringify(local['value'] ?? null).slice(0, SHOWN_CHARACTERS)
    }
    return errors
  })

/** The fields of a webhook as a body sets them (spec, Create and Update webhook; design, field rules). */
function fields(allowedNetworks: readonly AllowedNetwork[]) {
  return {
    name: text(255),
    description: text(2000).allow('', null),
    url: Joi.string().custom((value: string, helpers) => {
      const verdict = checkWebhookUrl(value, allowedNetworks)
      return verdict.ok ? value : helpers.message({ custom: messageOf(verdict.reason) })
    }),
    events: Joi.array().items(eventType).min(1).max(100),
    headers: Joi.object()
      .pattern(Joi.string(), Joi.string().allow(''))
      .custom((value: Record<string, string>, helpers) => {
        const verdict = checkWebhookHeaders(value)
        return verdict.ok ? value : helpers.message({ custom: messageOf(verdict.reason) })
      }),
    is_active: Joi.boolean(),
    max_retries: Joi.number().integer().min(0).max(MAXIMUM_MAX_RETRIES),
    retry_schedule: Joi.array()
      .items(Joi.number().integer().min(1).max(LONGEST_RETRY_DELAY_S))
      .min(1)
      .max(10)
      .allow(null),
    ...Object.fromEntries(READ_ONLY.map((name) => [name, Joi.any().strip()])),
  }
}

/** joi reads braces in a message as a template. */
const messageOf = (reason: string): string => reason.replaceAll('{', '\\{')

export const createWebhookBody = (allowedNetworks: readonly AllowedNetwork[]) =>
  Joi.object(fields(allowedNetworks))
    .fork(['name', 'url', 'events'], (field) => field.required())
    .id('NewWebhook')

export const changeWebhookBody = (allowedNetworks: readonly AllowedNetwork[]) =>
  Joi.object(fields(allowedNetworks)).id('WebhookChange')

const common = {
  id: Joi.string()
    .pattern(/^whk_[0-9a-f-]{36}$/)
    .required(),
  name: Joi.string().required(),
  description: Joi.string().allow('', null).required(),
  url: Joi.string().required(),
  events: Joi.array()
    .items(Joi.string().valid(...EVENT_TYPES))
    .required(),
  is_active: Joi.boolean().required(),
  headers: Joi.object().pattern(Joi.string(), Joi.string().allow('')).required(),
  max_retries: Joi.number().integer().min(0).max(MAXIMUM_MAX_RETRIES).required(),
  retry_schedule: Joi.array().items(Joi.number().integer()),
  created_at: timestamp().required(),
}

const secret = Joi.string().pattern(/^whsec_[A-Za-z0-9+/]+=*$/)

/** The answer to a creation: the one that shows the secret. */
export const createdWebhookSchema = Joi.object({ ...common, secret: secret.required() }).id('CreatedWebhook')

export const webhookSchema = Joi.object({
  ...common,
  deactivated_reason: Joi.string().allow(null).required(),
  total_deliveries: Joi.number().integer().required(),
  successful_deliveries: Joi.number().integer().required(),
  failed_deliveries: Joi.number().integer().required(),
  last_triggered_at: timestamp().allow(null).required(),
  updated_at: timestamp().required(),
}).id('Webhook')

export const secretSchema = Joi.object({ id: common.id, secret: secret.required() }).id('WebhookSecret')

export const latestError = Joi.string()
  .allow(null)
  .required()
  .description(
    'Why the latest attempt got no answer, as a code such as dns_error; null when the endpoint answered, and before the first attempt.',
  )

const delivery = {
  id: Joi.string()
    .pattern(/^del_[0-9a-f-]{36}$/)
    .required(),
  webhook_id: common.id,
  event_type: Joi.string()
    .valid(...EVENT_TYPES, TEST_EVENT_TYPE)
    .required(),
  event_id: Joi.string().required(),
  status: Joi.string()
    .valid(...DELIVERY_STATUSES)
    .required(),
  response_code: Joi.number().integer().allow(null).required(),
  response_body: Joi.string().allow('', null).required(),
  error: latestError,
  attempts: Joi.number().integer().required(),
  max_attempts: Joi.number().integer().required(),
  request_duration_ms: Joi.number().integer().allow(null).required(),
  created_at: timestamp().required(),
  delivered_at: timestamp().description('Present on a successful delivery.'),
  next_retry_at: timestamp()
    .allow(null)
    .description('Present unless the delivery succeeded; null when nothing is scheduled.'),
  held_reason: Joi.string()
    .allow(null)
    .required()
    .description(
      'webhook_inactive while the delivery waits until its webhook is active again, otherwise null.',
    ),
  payload: Joi.object().unknown(true).description('The event envelope as it was sent.'),
}

export const deliverySchema = Joi.object(delivery).id('Delivery')

export const deliveryDetailSchema = Joi.object({
  ...delivery,
  attempt_log: Joi.array()
    .items(
      Joi.object({
        number: Joi.number().integer().required(),
        started_at: timestamp().required(),
        duration_ms: Joi.number().integer().required(),
        response_code: Joi.number().integer().allow(null).required(),
        response_body: Joi.string().allow('', null).required(),
        error: Joi.string()
          .allow(null)
          .required()
          .description('Why there was no answer, or why its body is not whole, as a code.'),
        location: Joi.string()
          .allow('', null)
          .required()
          .description('Where a redirect pointed to, at most 2,048 characters; it is never followed.'),
        trigger: Joi.string().valid('scheduled', 'manual', 'test').required(),
      }).id('Attempt'),
    )
    .required(),
}).id('DeliveryDetail')
