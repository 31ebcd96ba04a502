import Joi from 'joi'
import { TENANT_NOTICES } from '../../domain/notice/notice.ts'
import { timestamp } from './common.ts'

/** What a person should know of a webhook or a key. */
export const noticeSchema = Joi.object({
  id: Joi.string().required(),
  kind: Joi.string()
    .valid(...TENANT_NOTICES)
    .required(),
  webhook_id: Joi.string().allow(null).required().description('null: it is about a key.'),
  key_id: Joi.string().allow(null).required().description('null: it is about a webhook.'),
  message: Joi.string().required().description('A sentence for people, which may change.'),
  count: Joi.number()
    .integer()
    .min(0)
    .allow(null)
    .required()
    .description(
      'How many deliveries it is about. That of `deliveries_failed` rises while its hour runs. null: it is about none.',
    ),
  created_at: timestamp().required(),
}).id('Notice')
