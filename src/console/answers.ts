import Joi from 'joi'
import { noticeSchema } from '../api/schemas/notices.ts'
import { recoverySchema } from '../api/schemas/recoveries.ts'
import { createdWebhookSchema, webhookSchema } from '../api/schemas/webhooks.ts'
import { KEY_STATES } from '../domain/key/key.ts'
import { CHANNEL_KINDS, CHANNEL_STATES } from '../domain/notice/channel.ts'
import { HEALTH_STATES } from '../domain/webhook/health.ts'
import { TENANT_NOTICES } from '../domain/notice/notice.ts'
import { ENVIRONMENTS } from '../domain/tenant.ts'
import { FILTERED_PAGES } from '../domain/user/saved-filter.ts'
import {
  all,
  arrayOf,
  count,
  flag,
  objectOf,
  orNull,
  text,
  textOrNull,
  texts,
  time,
  timeOrNull,
} from '../api/schemas/answer-fields.ts'
import { keyType } from './schemas.ts'
import { person } from './user-answers.ts'

/** The answers of the session API for which the public API has no schema. `npm run wire-types` makes the types of web/ from them. */

const hiddenHeaders = Joi.object().pattern(Joi.string(), textOrNull).required()

export const shownWebhook = webhookSchema.keys({ headers: hiddenHeaders })
export const newWebhook = createdWebhookSchema.keys({ headers: hiddenHeaders })
export const headersAnswer = objectOf({
  id: text,
  headers: Joi.object().pattern(Joi.string(), text),
}).id('WebhookHeaders')
export const webhookName = objectOf({ ...all(text, 'id', 'name'), events: texts }).id('WebhookName')
export const typedFaults = objectOf({ faults: Joi.object().pattern(Joi.string(), text) }).id('TypedFaults')

const attemptCounts = all(count, 'attempts', 'successes', 'failures')

/** The last 24 hours, hour by hour. */
export const webhookActivity = objectOf({
  webhook_id: text,
  health: objectOf({ state: Joi.valid(...HEALTH_STATES), waiting: count }),
  ...attemptCounts,
  p95_ms: count.allow(null),
  series: arrayOf({ starts_at: time, ...attemptCounts }),
}).id('WebhookActivity')

const keyFields = {
  ...all(text, 'id', 'name', 'prefix'),
  ...all(textOrNull, 'description', 'user_id', 'user_name', 'rotated_to', 'last_used_ip'),
  ...all(texts, 'scopes', 'ip_allowlist'),
  type: keyType.id('KeyType'),
  environment: Joi.valid(...ENVIRONMENTS),
  state: Joi.valid(...KEY_STATES).id('KeyState'),
  is_active: flag,
  replaces: objectOf({ id: text, expires_at: time })
    .allow(null)
    .description('The old key of a rotation, as long as it works too.'),
  ...all(timeOrNull, 'expires_at', 'revoked_at', 'last_used_at'),
  created_at: time,
  version: text.description('Of the settings; If-Match names it.'),
  request_count: count,
  usage: objectOf({
    ...all(count, 'day', 'week', 'month'),
    daily: arrayOf({ date: text, requests: count }).description('30 days, oldest first.'),
  }),
}
const createdKeyFields = { ...keyFields, key: text.description('The whole key; no other answer has it.') }

export const keySchema = objectOf(keyFields).id('Key')
export const createdKey = objectOf(createdKeyFields).id('CreatedKey')
export const rotatedKey = objectOf({ ...createdKeyFields, old_key_id: text, old_expires_at: time }).id(
  'RotatedKey',
)

export const recentUse = objectOf({
  last_hour: count.description('Requests of the last 60 minutes, the running one included.'),
  daily: arrayOf({
    date: text,
    ...all(count, 'requests', 'responses_2xx', 'responses_4xx', 'responses_5xx'),
  }).description('30 days, oldest first.'),
  endpoints: arrayOf({ ...all(text, 'method', 'path'), last_used_at: time }),
  addresses: arrayOf({ address: text, last_used_at: time }),
}).id('RecentUse')

export const allowlistVerdict = objectOf({
  allowed: flag.allow(null),
  entries: texts,
  faults: arrayOf({ line: count, ...all(text, 'text', 'message') }),
}).id('AllowlistVerdict')

/** Each list holds at most 100 entries. */
export const attentionSchema = objectOf({
  ...all(count, 'webhooks', 'unwell', 'waiting'),
  open_notices: count.description('Of the newest 1,000.'),
  unwell_webhooks: Joi.array().items(shownWebhook),
  expiring_keys: Joi.array().items(keySchema),
}).id('Attention')

export const startedRecovery = recoverySchema
  .keys({ started_by: person.allow(null).required().description('null: it is no longer known.') })
  .id('StartedRecovery')
export const recoverableSchema = objectOf({
  recovers: recoverySchema.extract('recovers'),
  ...all(time, 'since', 'until'),
  total: count.allow(null).description('null: more than counted_at_most.'),
  counted_at_most: count,
}).id('Recoverable')
export const missedSchema = objectOf({
  pause: objectOf({ starts_at: time, ends_at: timeOrNull }).allow(null),
  recoverable: orNull(recoverableSchema),
}).id('Missed')

export const savedFilterSchema = objectOf({
  ...all(text, 'id', 'name', 'query'),
  page: Joi.valid(...FILTERED_PAGES).id('FilteredPage'),
  created_at: time,
}).id('SavedFilter')

export const readNoticeSchema = noticeSchema.keys({
  done_by_name: textOrNull.required().description('null: none is, or they are no longer known.'),
  done_for_me: flag.required().description('Whether the user is done with it, whatever is true for all.'),
})
export const openNotices = objectOf({ open_notices: count }).id('OpenNotices')

const channelFields = {
  id: text,
  kind: Joi.valid(...CHANNEL_KINDS).id('ChannelKind'),
  name: textOrNull,
  target: text.description('Masked.'),
  state: Joi.valid(...CHANNEL_STATES),
  notice_kinds: orNull(Joi.array().items(Joi.valid(...TENANT_NOTICES))).description('null: all.'),
  pause_seconds: count,
  ...all(timeOrNull, 'failing_since', 'last_sent_at', 'last_test_at'),
  last_test_arrived: orNull(flag).description('null: this target was not tested.'),
  last_error: textOrNull,
  created_at: time,
  version: count.description('For If-Match, in quotes.'),
}

export const channelSchema = objectOf(channelFields).id('Channel')
export const createdChannel = objectOf({
  ...channelFields,
  secret: textOrNull.description('Shown only here; null: its kind has none.'),
}).id('CreatedChannel')
export const channelTest = objectOf({ success: flag, answer: text }).id('ChannelTest')
export const removedChannel = objectOf({ removed: Joi.valid(true) }).id('RemovedChannel')
