import type { Deps } from '../../deps/deps.ts'
import { CostLimits } from '../../operations/cost-limits.ts'
import { Feed } from '../../operations/event/feed.ts'
import { FeedReaders } from '../../operations/event/feed-readers.ts'
import { PublishQuota } from '../../operations/minute-limits.ts'
import { SharedPublishes } from '../../operations/event/shared-publishes.ts'
import type { AnyRoute } from '../routing/route.ts'
import { attemptListRoute, deliveryRoutes } from './deliveries.ts'
import {
  auditListRoute,
  deliveryListRoute,
  eventListRoutes,
  feedRoute,
  noticeListRoute,
} from './company-lists.ts'
import { eventRoutes } from './events.ts'
import { callingKeyRoute } from './me.ts'
import { recoveryRoutes } from './recoveries.ts'
import { resendRoutes } from './resends.ts'
import { resourceRoutes } from './resources.ts'
import { filterPreviewRoute, statsRoute } from './webhook-reports.ts'
import { webhookRoutes } from './webhooks.ts'

/** The beginning of every path of the public API. */
export const API_PREFIX = '/api-v1-'

/** Every route of the public API. @param feed the feed of the process; only the OpenAPI document does not need it */
export function routeTable(
  deps: Deps,
  feed = new Feed(deps, new CostLimits(), new FeedReaders(deps)),
): AnyRoute[] {
  const publishing = { shared: new SharedPublishes(deps), quota: new PublishQuota(deps) }
  return [
    ...webhookRoutes(deps),
    ...deliveryRoutes(deps),
    ...resendRoutes(deps),
    ...recoveryRoutes(deps),
    attemptListRoute(deps),
    statsRoute(deps),
    filterPreviewRoute(deps),
    deliveryListRoute(deps),
    ...eventRoutes(deps, publishing),
    feedRoute(feed),
    ...eventListRoutes(deps),
    noticeListRoute(deps),
    auditListRoute(deps),
    callingKeyRoute(deps),
    ...resourceRoutes(deps, publishing),
  ]
}
