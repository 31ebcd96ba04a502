import type { Action } from '../../domain/user/roles.ts'
import type { AnyRoute } from '../../api/routing/route.ts'
import { API_PREFIX } from '../../api/routes/index.ts'
import { COMPANY_PATH, type ConsoleRoute } from '../route.ts'

/**
 * The routes of the public API that the console serves unchanged. The role must permit the action named here, in place of
 * a scope.
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

/** Routes whose user must have given the password lately, as for a change of a key. */
const NEEDS_PASSWORD = new Set(['regenerateSecret'])

/** `/api-v1-webhooks/:id` is `…/webhooks/:id` in the console. */
export const publicRoutes = (table: readonly AnyRoute[]): ConsoleRoute[] =>
  table.flatMap((route) => {
    const action = ACTION_OF[route.operationId]
    if (action === undefined) return []
    const path = `${COMPANY_PATH}/${route.path.slice(API_PREFIX.length)}`
    return [{ route: { ...route, path }, action, needsPassword: NEEDS_PASSWORD.has(route.operationId) }]
  })
