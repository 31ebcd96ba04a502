import type { Deps } from '../../deps/deps.ts'
import { CostLimits } from '../../operations/cost-limits.ts'
import { Feed } from '../../operations/event/feed.ts'
import { FeedReaders } from '../../operations/event/feed-readers.ts'
import { PublishQuota } from '../../operations/event/publish-quota.ts'
import { SharedPublishes } from '../../operations/event/shared-publishes.ts'
import type { AnyRoute } from '../routing/route.ts'
import { auditRoutes } from './audit.ts'
import { attemptRoutes } from './attempts.ts'
import { deliveryRoutes } from './deliveries.ts'
import { deliveryListRoutes, eventListRoutes } from './company-lists.ts'
import { eventRoutes } from './events.ts'
import { meRoutes } from './me.ts'
import { filterRoutes } from './filters.ts'
import { feedRoutes } from './feed.ts'
import { noticeRoutes } from './notices.ts'
import { recoveryRoutes } from './recoveries.ts'
import { resendRoutes } from './resends.ts'
import { resourceRoutes } from './resources.ts'
import { statsRoutes } from './stats.ts'
import { webhookRoutes } from './webhooks.ts'

/** The beginning of every path of the public API. */
export const API_PREFIX = '/api-v1-'

/** Every endpoint of the public API. @param feed the feed of the process; a table for the description alone needs none */
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
    ...attemptRoutes(deps),
    ...statsRoutes(deps),
    ...filterRoutes(deps),
    ...deliveryListRoutes(deps),
    ...eventRoutes(deps, publishing),
    ...feedRoutes(feed),
    ...eventListRoutes(deps),
    ...noticeRoutes(deps),
    ...auditRoutes(deps),
    ...meRoutes(deps),
    ...resourceRoutes(deps, publishing),
  ]
}
