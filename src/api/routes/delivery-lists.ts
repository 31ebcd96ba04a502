import type { Deps } from '../../deps/deps.ts'
import { listOverviews } from '../../operations/delivery/overview.ts'
import { presentListedDelivery } from '../../presenters/deliveries.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import { defineRoute, type AnyRoute } from '../routing/route.ts'
import { cursorListOf, HOW_TO_GO_ON } from '../schemas/common.ts'
import { deliveryListQuery, filterOf, partOf } from '../schemas/lists.ts'
import { deliverySchema } from '../schemas/webhooks.ts'

/** Lists the deliveries of all webhooks. */
export function deliveryListRoutes(deps: Deps): AnyRoute[] {
  const list = defineRoute({
    method: 'GET',
    cost: 'list',
    path: '/api-v1-deliveries',
    scope: 'read:webhooks',
    operationId: 'listAllDeliveries',
    summary: 'List the deliveries of all webhooks by cursor',
    description: `${HOW_TO_GO_ON} Those of deleted webhooks are left out. Shows payloads of every family.`,
    query: deliveryListQuery,
    answers: {
      200: { description: 'A part of the deliveries, newest first.', schema: cursorListOf(deliverySchema) },
    },
    handle: async ({ caller: { tenant }, query, makeRoom }) => {
      const request = { ...partOf(query), filter: filterOf(query) }
      const page = await listOverviews(deps, { tenants: [tenant] }, request, makeRoom)
      return { body: presentCursorPage(page, presentListedDelivery) }
    },
  })
  return [list]
}
