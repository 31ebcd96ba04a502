import type { Deps } from '../../deps/deps.ts'
import { showKeyAndCompany } from '../../operations/key/read.ts'
import { presentCallingKey } from '../../presenters/api-keys.ts'
import { defineRoute, type AnyRoute } from '../routing/route.ts'
import { dataOf } from '../schemas/common.ts'
import { callingKeySchema } from '../schemas/me.ts'

/** Tells the holder of a key what it is and may do. */
export function meRoutes(deps: Deps): AnyRoute[] {
  const get = defineRoute({
    method: 'GET',
    cost: 'cheap',
    path: '/api-v1-me',
    scope: 'any',
    operationId: 'getCallingKey',
    summary: 'Get the API key of the request',
    description: 'Its company, its scopes, and what is left of its rate limit.',
    answers: { 200: { description: 'The key.', schema: dataOf(callingKeySchema) } },
    handle: async ({ caller: { tenant, id, address }, quota }) => {
      const { key, company } = await showKeyAndCompany(deps, tenant, id)
      return { body: { data: presentCallingKey(key, company, address, quota) } }
    },
  })
  return [get]
}
