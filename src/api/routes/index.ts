import type { Deps } from '../../deps/deps.ts'
import { PublishQuota } from '../../operations/event/publish-quota.ts'
import { SharedPublishes } from '../../operations/event/shared-publishes.ts'
import type { AnyRoute } from '../routing/route.ts'
import { attemptRoutes } from './attempts.ts'
import { deliveryRoutes } from './deliveries.ts'
import { deliveryListRoutes, eventListRoutes } from './company-lists.ts'
import { eventRoutes } from './events.ts'
import { meRoutes } from './me.ts'
import { noticeRoutes } from './notices.ts'
import { recoveryRoutes } from './recoveries.ts'
import { resendRoutes } from './resends.ts'
import { resourceRoutes } from './resources.ts'
import { statsRoutes } from './stats.ts'
import { webhookRoutes } from './webhooks.ts'

/** What every path of the public API begins with. */
export const API_PREFIX = '/api-v1-'

/** Every endpoint of the public API. */
export function routeTable(deps: Deps): AnyRoute[] {
  const publishing = { shared: new SharedPublishes(deps), quota: new PublishQuota(deps) }
  return [
    ...webhookRoutes(deps),
    ...deliveryRoutes(deps),
    ...resendRoutes(deps),
    ...recoveryRoutes(deps),
    ...attemptRoutes(deps),
    ...statsRoutes(deps),
    ...deliveryListRoutes(deps),
    ...eventRoutes(deps, publishing),
    ...eventListRoutes(deps),
    ...noticeRoutes(deps),
    ...meRoutes(deps),
    ...resourceRoutes(deps, publishing),
  ]
}
