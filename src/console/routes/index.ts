import type { AnyRoute } from '../../api/routing/route.ts'
import { API_PREFIX } from '../../api/routes/index.ts'
import type { Deps } from '../../deps/deps.ts'
import type { Action } from '../../domain/user/roles.ts'
import type { ConsoleParts } from '../address-route.ts'
import { COMPANY_PATH, type ConsoleRoute } from '../route.ts'
import { accountRoutes } from './account.ts'
import { channelRoutes } from './channels.ts'
import { allowlistTestRoute, filterPreviewRoute, webhookCheckRoute } from './checks.ts'
import { historyRoutes } from './history.ts'
import { invitationRoutes } from './invitations.ts'
import { keyRoutes } from './keys.ts'
import { noticeRoutes } from './notices.ts'
import { overviewRoutes } from './overview.ts'
import { recoveryRoutes } from './recoveries.ts'
import { savedFilterRoutes } from './saved-filters.ts'
import { sessionRoutes } from './session.ts'
import { userRoutes } from './users.ts'
import { webhookRoutes } from './webhooks.ts'

/**
 * The routes of the public API that the console serves unchanged. They need no scope. Instead, the user's role must
 * permit the action that is named here.
 */
const ACTION_OF: Readonly<Record<string, Action>> = {
  deleteWebhook: 'webhooks.write',
  regenerateSecret: 'webhooks.regenerate_secret',
  sendTestEvent: 'webhooks.test',
  getWebhookStats: 'webhooks.read',
  listDeliveries: 'deliveries.read',
  getDelivery: 'deliveries.read',
  listAttempts: 'deliveries.read',
  retryDelivery: 'deliveries.retry',
  resendDelivery: 'deliveries.resend',
  recoverWebhook: 'deliveries.recover',
  getRecovery: 'deliveries.read',
  cancelRecovery: 'deliveries.recover',
  listAllDeliveries: 'deliveries.read',
  listEvents: 'events.read',
  getEvent: 'events.read',
  sendEvent: 'events.send',
  listEventTypes: 'events.read',
}

/** For these operations the user must have entered the password recently. The rotation of a key needs that too. */
const NEEDS_PASSWORD = new Set(['regenerateSecret'])

/** `/api-v1-webhooks/:id` becomes `…/webhooks/:id` in the console. */
const publicRoutes = (table: readonly AnyRoute[]): ConsoleRoute[] =>
  table.flatMap((route) => {
    const action = ACTION_OF[route.operationId]
    if (action === undefined) return []
    const path = `${COMPANY_PATH}/${route.path.slice(API_PREFIX.length)}`
    return [{ route: { ...route, path }, action, needsPassword: NEEDS_PASSWORD.has(route.operationId) }]
  })

/** Every route of the console that belongs to a company. @param table the routes of the public API */
export const companyRoutes = (deps: Deps, table: readonly AnyRoute[]): ConsoleRoute[] => [
  ...publicRoutes(table),
  ...webhookRoutes(deps),
  ...keyRoutes(deps),
  ...overviewRoutes(deps),
  ...historyRoutes(deps),
  allowlistTestRoute(),
  ...recoveryRoutes(deps),
  webhookCheckRoute(deps),
  filterPreviewRoute(deps),
  ...userRoutes(deps),
  ...savedFilterRoutes(deps),
  ...invitationRoutes(deps),
  ...noticeRoutes(deps),
  ...channelRoutes(deps),
]

/** Every route of the console that belongs to no company: for the sign-in, and for the user's own account. */
export const addressRoutes = (parts: ConsoleParts) => [...sessionRoutes(parts), ...accountRoutes(parts)]
