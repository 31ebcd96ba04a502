import Joi from 'joi'
import { DELIVERY_STATUSES, KEPT_BODIES } from '../../domain/delivery/delivery.ts'
import { EVENT_TYPES } from '../../domain/event/catalog.ts'
import { TEST_EVENT_TYPE } from '../../domain/event/event.ts'
import { HEALTH_STATES } from '../../domain/webhook/health.ts'
import { MAXIMUM_MAX_RETRIES } from '../../domain/webhook/settings.ts'
import { timestamp } from './common.ts'

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
  retry_schedule: Joi.array()
    .items(Joi.number().integer())
    .description('Seconds before each retry; absent while the schedule of the service applies.'),
  filter: Joi.object()
    .unknown(true)
    .description('The condition for the events that make deliveries; absent while there is none.'),
  send_traceparent: Joi.boolean().description(
    'true where deliveries carry the header traceparent; absent where they do not.',
  ),
  created_at: timestamp().required(),
}

const secret = Joi.string()
  .pattern(/^whsec_[A-Za-z0-9+/]+=*$/)
  .description('The key of the signatures. Keep it: no other answer shows it.')

/** The answer to a creation, which shows the secret. */
export const createdWebhookSchema = Joi.object({ ...common, secret: secret.required() }).id('CreatedWebhook')

const healthSchema = Joi.object({
  state: Joi.string()
    .valid(...HEALTH_STATES)
    .required()
    .description(
      'disabled while the webhook is inactive; otherwise failing after a failed attempt, until one succeeds.',
    ),
  failing_since: timestamp()
    .allow(null)
    .required()
    .description('When the first attempt after the latest success failed; null while none did. UTC.'),
  consecutive_failures: Joi.number().integer().required().description('Attempts that failed in a row.'),
  last_success_at: timestamp().allow(null).required().description('When a delivery last succeeded. UTC.'),
  last_error: Joi.string()
    .allow(null)
    .required()
    .description('What came of the latest failed attempt, as a code such as http_500 or dns_error.'),
  waiting: Joi.number().integer().required().description('Deliveries that have not ended.'),
}).id('WebhookHealth')

export const webhookSchema = Joi.object({
  ...common,
  deactivated_reason: Joi.string()
    .allow(null)
    .required()
    .description(
      'Why the service deactivated it: `gone` after a 410, `backlog` when too many deliveries waited, `failing` when its ' +
        'endpoint failed for days; null otherwise.',
    ),
  total_deliveries: Joi.number().integer().required().description('Deliveries created so far.'),
  successful_deliveries: Joi.number().integer().required().description('Deliveries that succeeded.'),
  failed_deliveries: Joi.number().integer().required().description('Deliveries that failed for good.'),
  last_triggered_at: timestamp()
    .allow(null)
    .required()
    .description('When the latest attempt began; null before the first. UTC.'),
  health: healthSchema.required(),
  updated_at: timestamp()
    .required()
    .description('When the configuration last changed; deliveries do not change it. UTC.'),
}).id('Webhook')

export const secretSchema = Joi.object({ id: common.id, secret: secret.required() }).id('WebhookSecret')

export const latestError = Joi.string()
  .allow(null)
  .required()
  .description(
    'Why the latest attempt got no answer, as a code such as dns_error; null when the endpoint answered, and before the first attempt.',
  )

/** The record of an event, as lists show it and `record` finds it. */
export const recordField = Joi.string()
  .allow(null)
  .required()
  .description(
    'The record that the event is about: its subject, or else the id in its data. null: none, or it is not known.',
  )

/** What people call the record, beside its id. */
export const recordNameField = Joi.string()
  .allow(null)
  .required()
  .description(
    'What people call that record: `name` of the data, or else `title` or `subject`, its first 200 characters. null: none of ' +
      'them is a text, or the payload is larger than 16 KiB.',
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
  record: recordField,
  record_name: recordNameField,
  is_test: Joi.boolean().required().description('Whether it was sent on request, to try the endpoint.'),
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
      'company_suspended while the operator has suspended the company; webhook_inactive while the delivery waits until its ' +
        'webhook is active again; endpoint_failing while its first ' +
        'attempt waits because the endpoint fails or asked for a pause (Retry-After); otherwise null.',
    ),
  resend_of: Joi.string()
    .allow(null)
    .required()
    .description('The delivery that this one repeats; null unless somebody asked for it with resend.'),
  payload: Joi.object().unknown(true).description('The event envelope as it was sent.'),
}

export const deliverySchema = Joi.object(delivery).id('Delivery')

/** How long a step of an attempt took. */
const stepMs = (description: string) =>
  Joi.number().integer().allow(null).required().description(`${description} null: it did not happen.`)

export const attemptSchema = Joi.object({
  number: Joi.number().integer().required(),
  started_at: timestamp().required(),
  duration_ms: Joi.number().integer().required(),
  dns_ms: stepMs('Resolving the host name; in a kept connection this and the next two did not happen.'),
  connect_ms: stepMs('Opening the TCP connection.'),
  tls_ms: stepMs('The TLS handshake.'),
  first_byte_ms: stepMs('From the sending of the request to the first byte of an answer.'),
  response_code: Joi.number().integer().allow(null).required(),
  response_headers: Joi.object()
    .pattern(Joi.string(), Joi.string().allow(''))
    .allow(null)
    .required()
    .description(
      'Headers of the answer, names in lower case, 2 KiB at most; cookies are never kept. null: no answer, or not kept.',
    ),
  response_headers_cut: Joi.boolean()
    .required()
    .description('Whether headers are missing, or end with … because they were cut.'),
  response_body: Joi.string().allow('', null).required(),
  error: Joi.string()
    .allow(null)
    .required()
    .description('Why there was no answer, or why its body is not whole, as a code.'),
  location: Joi.string()
    .allow('', null)
    .required()
    .description('Where a redirect pointed to, at most 2,048 characters; it is never followed.'),
  trigger: Joi.string().valid('scheduled', 'manual', 'test', 'recovery').required(),
  made_by: Joi.string()
    .allow(null)
    .required()
    .description('Who made the attempt: workflow or worker. null: made before this was noted.'),
}).id('Attempt')

export const deliveryDetailSchema = Joi.object({
  ...delivery,
  attempt_log: Joi.array()
    .items(attemptSchema)
    .max(KEPT_BODIES)
    .required()
    .description('The latest attempts, the oldest of them first; …/attempts lists all.'),
}).id('DeliveryDetail')
