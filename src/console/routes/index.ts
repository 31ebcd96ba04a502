import type { AnyRoute } from '../../api/routing/route.ts'
import type { Deps } from '../../deps/deps.ts'
import type { AddressEndpoint, ConsoleParts } from '../endpoint.ts'
import type { ConsoleRoute } from '../route.ts'
import { accountRoutes } from './account.ts'
import { activityRoutes } from './activity.ts'
import { allowlistRoutes } from './allowlist.ts'
import { channelRoutes } from './channels.ts'
import { filterPreviewRoutes } from './filter-preview.ts'
import { historyRoutes } from './history.ts'
import { invitationRoutes } from './invitations.ts'
import { keyRoutes } from './keys.ts'
import { linkRoutes } from './links.ts'
import { noticeRoutes } from './notices.ts'
import { overviewRoutes } from './overview.ts'
import { publicRoutes } from './public.ts'
import { recoveryRoutes } from './recoveries.ts'
import { savedFilterRoutes } from './saved-filters.ts'
import { sessionRoutes } from './session.ts'
import { ownSessionRoutes } from './sessions.ts'
import { userRoutes } from './users.ts'
import { webhookCheckRoutes } from './webhook-check.ts'
import { webhookRoutes } from './webhooks.ts'

/** Every endpoint of the console that belongs to a company. @param table the routes of the public API */
export const companyRoutes = (deps: Deps, table: readonly AnyRoute[]): ConsoleRoute[] => [
  ...publicRoutes(table),
  ...webhookRoutes(deps),
  ...keyRoutes(deps),
  ...overviewRoutes(deps),
  ...activityRoutes(deps),
  ...historyRoutes(deps),
  ...allowlistRoutes(),
  ...recoveryRoutes(deps),
  ...webhookCheckRoutes(deps),
  ...filterPreviewRoutes(deps),
  ...userRoutes(deps),
  ...savedFilterRoutes(deps),
  ...invitationRoutes(deps),
  ...noticeRoutes(deps),
  ...channelRoutes(deps),
]

/** Every endpoint of the console that belongs to no company: for who signs in, and for the own account. */
export const addressRoutes = (parts: ConsoleParts): AddressEndpoint[] => [
  ...sessionRoutes(parts),
  ...linkRoutes(parts),
  ...accountRoutes(parts),
  ...ownSessionRoutes(parts),
]
