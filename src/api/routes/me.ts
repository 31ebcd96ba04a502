import Joi from 'joi'
import type { Deps } from '../../deps/deps.ts'
import { KEY_TYPES } from '../../domain/key/key.ts'
import { SCOPES } from '../../domain/key/scopes.ts'
import { ENVIRONMENTS } from '../../domain/tenant.ts'
import { showKeyAndCompany } from '../../operations/key/read.ts'
import { presentCallingKey } from '../../presenters/api-keys.ts'
import { defineRoute, withData, type AnyRoute } from '../routing/route.ts'
import { count, idOf, objectOf, orNull, timeOrNull, word } from '../schemas/answer-fields.ts'
import { dataOf } from '../schemas/common.ts'

const callingKeySchema = objectOf({
  id: idOf('apiKey'),
  name: word,
  type: Joi.valid(...KEY_TYPES),
  environment: Joi.valid(...ENVIRONMENTS),
  company: objectOf({ id: idOf('company'), name: word }),
  user_id: idOf('user').allow(null).description('The user of a Personal key.'),
  scopes: Joi.array().items(Joi.valid(...SCOPES)),
  prefix: word.description('The first 24 characters of the key.'),
  expires_at: timeOrNull.description(
    'When it stops working, by its expiration date or the end of a grace period; null: never. UTC.',
  ),
  ip: word.description('The address of this request, as an allowlist sees it.'),
  rate_limit: orNull(
    objectOf({
      limit: count.min(0).description('Requests a minute.'),
      remaining: count.min(0).description('What is left of them, this request taken off.'),
      reset: count.min(0).description('Seconds until it is whole again.'),
    }).id('RateLimit'),
  ).description('The limit of the key in the process that answers; null: it has none.'),
}).id('CallingKey')

/** Tells the holder of a key what the key is and may do. */
export const callingKeyRoute = (deps: Deps): AnyRoute =>
  defineRoute('GET', '/api-v1-me', {
    cost: 'cheap',
    scope: 'any',
    operationId: 'getCallingKey',
    summary: 'Get the API key of the request',
    description: 'Its company, its scopes, and what is left of its rate limit.',
    answers: { 200: { description: 'The key.', schema: dataOf(callingKeySchema) } },
    handle: async ({ caller: { tenant, id, address }, quota }) => {
      const { key, company } = await showKeyAndCompany(deps, tenant, id)
      return withData(presentCallingKey(key, company, address, quota))
    },
  })
