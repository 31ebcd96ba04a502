import { cursorListOf, cursorQuery } from '../../api/schemas/common.ts'
import { webhookTarget } from '../../api/routes/webhooks.ts'
import { listHistory } from '../../operations/audit.ts'
import type { CursorRequest } from '../../domain/pagination.ts'
import { presentHistoryEntry } from '../../presenters/console.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import type { Deps } from '../../deps/deps.ts'
import { historyEntry } from '../answers.ts'
import { defineConsoleRoute, type ConsoleRoute } from '../route.ts'
import { keyTarget } from './keys.ts'

const answers = { 200: { schema: cursorListOf(historyEntry) } }

/** Who changed what, when and from where: of a key, of a webhook, and of the whole company. */
export function historyRoutes(deps: Deps): ConsoleRoute[] {
  const answer = async (companyId: string, query: CursorRequest, targetId?: string) => ({
    body: presentCursorPage(await listHistory(deps, companyId, query, targetId), presentHistoryEntry),
  })

  const ofKey = defineConsoleRoute({
    method: 'GET',
    cost: 'list',
    path: '/keys/:keyId/history',
    action: 'keys.read',
    query: cursorQuery(),
    target: keyTarget(deps),
    answers,
    handle: ({ caller: { tenant }, target: { key }, query }) => answer(tenant.companyId, query, key.id),
  })

  const ofWebhook = defineConsoleRoute({
    method: 'GET',
    cost: 'list',
    path: '/webhooks/:id/history',
    action: 'webhooks.read',
    query: cursorQuery(),
    target: webhookTarget(deps),
    answers,
    handle: ({ caller: { tenant }, target: { id }, query }) => answer(tenant.companyId, query, id),
  })

  const ofCompany = defineConsoleRoute({
    method: 'GET',
    cost: 'list',
    path: '/audit',
    action: 'audit.read',
    query: cursorQuery(),
    answers,
    handle: ({ caller: { tenant }, query }) => answer(tenant.companyId, query),
  })

  return [ofKey, ofWebhook, ofCompany]
}
