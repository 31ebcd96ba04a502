import type { AnyRoute } from '../../api/routing/route.js'
import type { Deps } from '../../process/deps.js'
import type { ConsoleRoute } from '../route.js'
import { activityRoutes } from './activity.js'
import { allowlistRoutes } from './allowlist.js'
import { historyRoutes } from './history.js'
import { keyRoutes } from './keys.js'
import { overviewRoutes } from './overview.js'
import { publicRoutes } from './public.js'
import { recoveryRoutes } from './recoveries.js'
import { userRoutes } from './users.js'
import { webhookCheckRoutes } from './webhook-check.js'

/** Every endpoint of the console that belongs to a company. @param table the routes of the public API */
export const companyRoutes = (deps: Deps, table: readonly AnyRoute[]): ConsoleRoute[] => [
  ...publicRoutes(table),
  ...keyRoutes(deps),
  ...overviewRoutes(deps),
  ...activityRoutes(deps),
  ...historyRoutes(deps),
  ...allowlistRoutes(),
  ...recoveryRoutes(deps),
  ...webhookCheckRoutes(deps),
  ...userRoutes(deps),
]
