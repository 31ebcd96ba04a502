import type { Deps } from '../../process/deps.js'
import { PublishQuota } from '../../operations/event/publish-quota.js'
import { SharedPublishes } from '../../operations/event/shared-publishes.js'
import type { AnyRoute } from '../routing/route.js'
import { attemptRoutes } from './attempts.js'
import { deliveryRoutes } from './deliveries.js'
import { deliveryListRoutes } from './delivery-lists.js'
import { eventListRoutes } from './event-lists.js'
import { eventRoutes } from './events.js'
import { noticeRoutes } from './notices.js'
import { recoveryRoutes } from './recoveries.js'
import { resendRoutes } from './resends.js'
import { resourceRoutes } from './resources.js'
import { statsRoutes } from './stats.js'
import { webhookRoutes } from './webhooks.js'

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
    ...resourceRoutes(deps, publishing),
  ]
}
