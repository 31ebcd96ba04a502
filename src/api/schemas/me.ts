import Joi from 'joi'
import { ID_PREFIXES, type Entity } from '../../domain/ids.ts'
import { KEY_TYPES } from '../../domain/key/key.ts'
import { SCOPES } from '../../domain/key/scopes.ts'
import { ENVIRONMENTS } from '../../domain/tenant.ts'
import { orNull, timestamp } from './common.ts'

const idOf = (entity: Entity) => Joi.string().pattern(new RegExp(`^${ID_PREFIXES[entity]}_[0-9a-f-]{36}$`))
const count = () => Joi.number().integer().min(0).required()

const rateLimitSchema = Joi.object({
  limit: count().description('Requests a minute.'),
  remaining: count().description('What is left of them, this request taken off.'),
  reset: count().description('Seconds until it is whole again.'),
}).id('RateLimit')

export const callingKeySchema = Joi.object({
  id: idOf('apiKey').required(),
  name: Joi.string().required(),
  type: Joi.string()
    .valid(...KEY_TYPES)
    .required(),
  environment: Joi.string()
    .valid(...ENVIRONMENTS)
    .required(),
  company: Joi.object({ id: idOf('company').required(), name: Joi.string().required() }).required(),
  user_id: idOf('user').allow(null).required().description('The user of a Personal key.'),
  scopes: Joi.array()
    .items(Joi.string().valid(...SCOPES))
    .required(),
  prefix: Joi.string().required().description('The first 24 characters of the key.'),
  expires_at: timestamp()
    .allow(null)
    .required()
    .description(
      'When it stops working, by its expiration date or the end of a grace period; null: never. UTC.',
    ),
  ip: Joi.string().required().description('The address of this request, as an allowlist sees it.'),
  rate_limit: orNull(rateLimitSchema)
    .required()
    .description('The limit of the key in the process that answers; null: it has none.'),
}).id('CallingKey')
