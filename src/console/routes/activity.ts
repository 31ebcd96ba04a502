import Joi from 'joi'
import { dataOf } from '../../api/schemas/common.ts'
import { statsQuery, statsSchema } from '../../api/schemas/stats.ts'
import { isId } from '../../domain/ids.ts'
import { readActivityByWebhook, readTenantStats } from '../../operations/webhook/read-stats.ts'
import { presentActivity, presentStats } from '../../presenters/stats.ts'
import type { Deps } from '../../deps/deps.ts'
import { webhookActivity } from '../answers.ts'
import { withData } from '../../api/routing/route.ts'
import { defineConsoleRoute, type ConsoleRoute } from '../route.ts'

/** As many webhooks as a page of a list may have. */
const WEBHOOKS_AT_ONCE = 100

const byWebhookQuery = Joi.object<{ ids: readonly string[] }>({
  ids: Joi.string()
    .required()
    .custom((value: string, helpers) => {
      const ids = value.split(',')
      return ids.length <= WEBHOOKS_AT_ONCE && ids.every((id) => isId('webhook', id))
        ? ids
        : helpers.message({
            custom: `{{#label}} must be ids of webhooks with commas between, ${WEBHOOKS_AT_ONCE} at most`,
          })
    }),
})

/** Recent attempts: the sums of an environment, and those of each webhook of a list. */
export function activityRoutes(deps: Deps): ConsoleRoute[] {
  const together = defineConsoleRoute('GET', '/activity', {
    cost: 'report',
    action: 'webhooks.read',
    query: statsQuery,
    answers: { 200: { schema: dataOf(statsSchema) } },
    handle: async ({ caller: { tenant }, query: { window } }) =>
      withData(presentStats(await readTenantStats(deps, tenant, window))),
  })

  const byWebhook = defineConsoleRoute('GET', '/activity/webhooks', {
    cost: 'report',
    action: 'webhooks.read',
    query: byWebhookQuery,
    answers: { 200: { schema: dataOf(Joi.array().items(webhookActivity)) } },
    handle: async ({ caller: { tenant }, query: { ids } }) => {
      const found = await readActivityByWebhook(deps, tenant, ids, '24h')
      return withData([...found].map(([id, activity]) => presentActivity(id, activity)))
    },
  })

  return [together, byWebhook]
}
