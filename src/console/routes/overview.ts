import Joi from 'joi'
import { dataOf } from '../../api/schemas/common.ts'
import { statsQuery, statsSchema } from '../../api/schemas/stats.ts'
import { isId } from '../../domain/ids.ts'
import { MAXIMUM_PAGE_SIZE } from '../../domain/pagination.ts'
import { readAttention } from '../../operations/attention.ts'
import { listWebhookNames } from '../../operations/webhook/read.ts'
import { readActivityByWebhook, readTenantStats } from '../../operations/webhook/read-stats.ts'
import { presentActivity, presentStats } from '../../presenters/stats.ts'
import { presentAttention, presentWebhookName } from '../../presenters/console.ts'
import type { Deps } from '../../deps/deps.ts'
import { attentionSchema, webhookActivity, webhookName } from '../answers.ts'
import { withData } from '../../api/routing/route.ts'
import { consoleRoute, type ConsoleRoute } from '../route.ts'

const byWebhookQuery = Joi.object<{ ids: readonly string[] }>({
  ids: Joi.string()
    .required()
    .custom((value: string, helpers) => {
      const ids = value.split(',')
      return ids.length <= MAXIMUM_PAGE_SIZE && ids.every((id) => isId('webhook', id))
        ? ids
        : helpers.message({
            custom: `{{#label}} must be ids of webhooks with commas between, ${MAXIMUM_PAGE_SIZE} at most`,
          })
    }),
})

/** About all webhooks of an environment: which of them need attention, their names, and their recent attempts. */
export function overviewRoutes(deps: Deps): ConsoleRoute[] {
  const attention = consoleRoute('GET', '/attention', 'report', 'webhooks.read', {
    answers: { 200: { schema: dataOf(attentionSchema) } },
    handle: async ({ caller: { tenant, id } }) =>
      withData(presentAttention(await readAttention(deps, { tenant, userId: id }))),
  })

  const names = consoleRoute('GET', '/webhook-names', 'report', 'webhooks.read', {
    answers: { 200: { schema: dataOf(Joi.array().items(webhookName)) } },
    handle: async ({ caller: { tenant } }) =>
      withData((await listWebhookNames(deps, tenant)).map(presentWebhookName)),
  })

  const together = consoleRoute('GET', '/activity', 'report', 'webhooks.read', {
    query: statsQuery,
    answers: { 200: { schema: dataOf(statsSchema) } },
    handle: async ({ caller: { tenant }, query: { window } }) =>
      withData(presentStats(await readTenantStats(deps, tenant, window))),
  })

  const byWebhook = consoleRoute('GET', '/activity/webhooks', 'report', 'webhooks.read', {
    query: byWebhookQuery,
    answers: { 200: { schema: dataOf(Joi.array().items(webhookActivity)) } },
    handle: async ({ caller: { tenant }, query: { ids } }) => {
      const found = await readActivityByWebhook(deps, tenant, ids, '24h')
      return withData([...found].map(([id, activity]) => presentActivity(id, activity)))
    },
  })

  return [attention, names, together, byWebhook]
}
