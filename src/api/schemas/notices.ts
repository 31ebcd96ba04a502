import Joi from 'joi'
import { TENANT_NOTICES } from '../../domain/notice/notice.ts'
import { countOrNull, objectOf, time, timeOrNull, word, wordOrNull } from './answer-fields.ts'

/** A notice about a webhook or a key. */
export const noticeSchema = objectOf({
  id: word,
  kind: Joi.valid(...TENANT_NOTICES),
  webhook_id: wordOrNull.description('null: it is about a key or a channel.'),
  key_id: wordOrNull.description('null: it is about a webhook or a channel.'),
  name: wordOrNull.description('What the webhook, the key or the channel is called. null: it is gone.'),
  message: word.description('A sentence for people, which may change.'),
  at: timeOrNull.description('Since when it fails, or when it will be deactivated or expire.'),
  error: wordOrNull.description('The code of the latest failure, such as `http_500`.'),
  count: countOrNull
    .min(0)
    .description(
      'How many deliveries it is about. That of `deliveries_failed` rises while its hour runs. null: it is about none.',
    ),
  created_at: time,
  done_at: timeOrNull.description(
    'Since when it is done for all users of the company; an admin says so in the console. null: it is not.',
  ),
  done_by: wordOrNull.description('The id of the user who said so.'),
}).id('Notice')
