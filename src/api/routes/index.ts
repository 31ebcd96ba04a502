import type { Deps } from '../../process/deps.js'
import type { AnyRoute } from '../routing/route.js'
import { attemptRoutes } from './attempts.js'
import { deliveryRoutes } from './deliveries.js'
import { eventRoutes } from './events.js'
import { resourceRoutes } from './resources.js'
import { webhookRoutes } from './webhooks.js'

/** What every path of the public API begins with. */
export const API_PREFIX = '/api-v1-'

/** Every endpoint of the public API. */
export const routeTable = (deps: Deps): AnyRoute[] => [
  ...webhookRoutes(deps),
  ...deliveryRoutes(deps),
  ...attemptRoutes(deps),
  ...eventRoutes(deps),
  ...resourceRoutes(deps),
]
