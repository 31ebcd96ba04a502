import Joi from 'joi'
import { TENANT_NOTICES } from '../../domain/notice/notice.ts'
import { timestamp } from './common.ts'

/** What a person should know of a webhook or a key. */
export const noticeSchema = Joi.object({
  id: Joi.string().required(),
  kind: Joi.string()
    .valid(...TENANT_NOTICES)
    .required(),
  webhook_id: Joi.string().allow(null).required().description('null: it is about a key or a channel.'),
  key_id: Joi.string().allow(null).required().description('null: it is about a webhook or a channel.'),
  name: Joi.string()
    .allow(null)
    .required()
    .description('What the webhook, the key or the channel is called. null: it is gone.'),
  message: Joi.string().required().description('A sentence for people, which may change.'),
  at: timestamp()
    .allow(null)
    .required()
    .description('Since when it fails, or when it will be deactivated or expire.'),
  error: Joi.string()
    .allow(null)
    .required()
    .description('The code of the latest failure, such as `http_500`.'),
  count: Joi.number()
    .integer()
    .min(0)
    .allow(null)
    .required()
    .description(
      'How many deliveries it is about. That of `deliveries_failed` rises while its hour runs. null: it is about none.',
    ),
  created_at: timestamp().required(),
  done_at: timestamp()
    .allow(null)
    .required()
    .description(
      'Since when it is done for all users of the company; an admin says so in the console. null: it is not.',
    ),
  done_by: Joi.string().allow(null).required().description('The id of the user who said so.'),
}).id('Notice')
