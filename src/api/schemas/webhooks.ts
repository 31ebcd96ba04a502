import Joi from 'joi'
import { DELIVERY_STATUSES, KEPT_BODIES } from '../../domain/delivery/delivery.ts'
import { EVENT_TYPES } from '../../domain/event/catalog.ts'
import { TEST_EVENT_TYPE } from '../../domain/event/event.ts'
import { HEALTH_STATES } from '../../domain/webhook/health.ts'
import { MAXIMUM_MAX_RETRIES } from '../../domain/webhook/settings.ts'
import {
  all,
  count,
  countOrNull,
  flag,
  idOf,
  objectOf,
  text,
  textOrNull,
  time,
  timeOrNull,
  word,
  wordOrNull,
} from './answer-fields.ts'

const common = {
  id: idOf('webhook'),
  name: word,
  description: textOrNull,
  url: word,
  events: Joi.array().items(Joi.valid(...EVENT_TYPES)),
  is_active: flag,
  headers: Joi.object().pattern(word, text),
  max_retries: count.min(0).max(MAXIMUM_MAX_RETRIES),
  retry_schedule: Joi.array()
    .items(count)
    .optional()
    .description('Seconds before each retry; absent while the schedule of the service applies.'),
  filter: Joi.object()
    .unknown(true)
    .optional()
    .description('The condition for the events that make deliveries; absent while there is none.'),
  send_traceparent: flag
    .optional()
    .description('true where deliveries carry the header traceparent; absent where they do not.'),
  created_at: time,
}

const secret = Joi.string()
  .pattern(/^whsec_[A-Za-z0-9+/]+=*$/)
  .description('The key of the signatures. Keep it: no other answer shows it.')

/** The answer to a creation, which shows the secret. */
export const createdWebhookSchema = objectOf({ ...common, secret }).id('CreatedWebhook')

const healthSchema = objectOf({
  state: Joi.valid(...HEALTH_STATES).description(
    'disabled while the webhook is inactive; otherwise failing after a failed attempt, until one succeeds.',
  ),
  failing_since: timeOrNull.description(
    'When the first attempt after the latest success failed; null while none did. UTC.',
  ),
  consecutive_failures: count.description('Attempts that failed in a row.'),
  last_success_at: timeOrNull.description('When a delivery last succeeded. UTC.'),
  last_error: wordOrNull.description(
    'What came of the latest failed attempt, as a code such as http_500 or dns_error.',
  ),
  waiting: count.description('Deliveries that have not ended.'),
}).id('WebhookHealth')

export const webhookSchema = objectOf({
  ...common,
  deactivated_reason: wordOrNull.description(
    'Why the service deactivated it: `gone` after a 410, `backlog` when too many deliveries waited, `failing` when its ' +
      'endpoint failed for days; null otherwise.',
  ),
  total_deliveries: count.description('Deliveries created so far.'),
  successful_deliveries: count.description('Deliveries that succeeded.'),
  failed_deliveries: count.description('Deliveries that failed for good.'),
  last_triggered_at: timeOrNull.description('When the latest attempt began; null before the first. UTC.'),
  health: healthSchema,
  updated_at: time.description('When the configuration last changed; deliveries do not change it. UTC.'),
}).id('Webhook')

export const secretSchema = objectOf({ id: common.id, secret }).id('WebhookSecret')

export const latestError = wordOrNull.description(
  'Why the latest attempt got no answer, as a code such as dns_error; null when the endpoint answered, and before the first attempt.',
)

/** The record that an event is about, with its name. The query parameter `record` searches by the id of the record. */
export const recordFields = {
  record: wordOrNull.description(
    'The record that the event is about: its subject, or else the id in its data. null: none, or it is not known.',
  ),
  record_name: wordOrNull.description(
    'What people call that record: `name` of the data, or else `title` or `subject`, its first 200 characters. null: none of ' +
      'them is a text, or the payload is larger than 16 KiB.',
  ),
}

const delivery = {
  id: idOf('delivery'),
  webhook_id: common.id,
  event_type: Joi.valid(...EVENT_TYPES, TEST_EVENT_TYPE),
  event_id: word,
  ...recordFields,
  is_test: flag.description('Whether it was sent on request, to try the endpoint.'),
  status: Joi.valid(...DELIVERY_STATUSES),
  response_code: countOrNull,
  response_body: textOrNull,
  error: latestError,
  ...all(count, 'attempts', 'max_attempts'),
  request_duration_ms: countOrNull,
  created_at: time,
  delivered_at: time.optional().description('Present on a successful delivery.'),
  next_retry_at: timeOrNull
    .optional()
    .description('Present unless the delivery succeeded; null when nothing is scheduled.'),
  held_reason: wordOrNull.description(
    'company_suspended while the operator has suspended the company; webhook_inactive while the delivery waits until its ' +
      'webhook is active again; endpoint_failing while its first ' +
      'attempt waits because the endpoint fails or asked for a pause (Retry-After); otherwise null.',
  ),
  resend_of: wordOrNull.description(
    'The delivery that this one repeats; null unless somebody asked for it with resend.',
  ),
  payload: Joi.object().unknown(true).optional().description('The event envelope as it was sent.'),
}

export const deliverySchema = objectOf(delivery).id('Delivery')

/** How long a step of an attempt took. */
const stepMs = (description: string) => countOrNull.description(`${description} null: it did not happen.`)

export const attemptSchema = objectOf({
  number: count,
  started_at: time,
  duration_ms: count,
  dns_ms: stepMs('Resolving the host name; in a kept connection this and the next two did not happen.'),
  connect_ms: stepMs('Opening the TCP connection.'),
  tls_ms: stepMs('The TLS handshake.'),
  first_byte_ms: stepMs('From the sending of the request to the first byte of an answer.'),
  response_code: countOrNull,
  response_headers: Joi.object()
    .pattern(word, text)
    .allow(null)
    .description(
      'Headers of the answer, names in lower case, 2 KiB at most; cookies are never kept. null: no answer, or not kept.',
    ),
  response_headers_cut: flag.description('Whether headers are missing, or end with … because they were cut.'),
  response_body: textOrNull,
  error: wordOrNull.description('Why there was no answer, or why its body is not whole, as a code.'),
  location: textOrNull.description(
    'Where a redirect pointed to, at most 2,048 characters; it is never followed.',
  ),
  trigger: Joi.valid('scheduled', 'manual', 'test', 'recovery'),
  made_by: wordOrNull.description(
    'Who made the attempt: workflow or worker. null: made before this was noted.',
  ),
}).id('Attempt')

export const deliveryDetailSchema = objectOf({
  ...delivery,
  attempt_log: Joi.array()
    .items(attemptSchema)
    .max(KEPT_BODIES)
    .description('The latest attempts, the oldest of them first; …/attempts lists all.'),
}).id('DeliveryDetail')
