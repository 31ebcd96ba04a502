import type { Deps } from '../../deps/deps.ts'
import { listAttempts } from '../../operations/delivery/read.ts'
import { presentAttempt } from '../../presenters/deliveries.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import { defineRoute, type AnyRoute } from '../routing/route.ts'
import { cursorListOf, cursorQuery } from '../schemas/common.ts'
import { attemptSchema } from '../schemas/webhooks.ts'
import { deliveryTarget } from './deliveries.ts'

/** Lists all attempts of a delivery, which manual retries can make many. The detail shows only the latest. */
export function attemptRoutes(deps: Deps): AnyRoute[] {
  const list = defineRoute('GET', '/api-v1-webhooks/:id/deliveries/:deliveryId/attempts', {
    cost: 'list',
    scope: 'read:webhooks',
    operationId: 'listAttempts',
    summary: 'List the attempts of a delivery by cursor',
    query: cursorQuery(),
    target: deliveryTarget(deps),
    answers: {
      200: {
        description:
          'Attempts, newest first; response bodies and headers of the latest 20, null for those before.',
        schema: cursorListOf(attemptSchema),
      },
    },
    handle: async ({ caller: { tenant }, target: { delivery }, query }) => {
      const page = await listAttempts(deps, tenant, delivery, query)
      return { body: presentCursorPage(page, presentAttempt) }
    },
  })
  return [list]
}
