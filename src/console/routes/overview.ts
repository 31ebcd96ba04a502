import Joi from 'joi'
import { dataOf } from '../../api/schemas/common.ts'
import { readAttention } from '../../operations/attention.ts'
import { listWebhookNames } from '../../operations/webhook/read.ts'
import { presentAttention, presentWebhookName } from '../../presenters/console.ts'
import type { Deps } from '../../deps/deps.ts'
import { attentionSchema, webhookName } from '../answers.ts'
import { withData } from '../../api/routing/route.ts'
import { defineConsoleRoute, type ConsoleRoute } from '../route.ts'

/** All webhooks of an environment at once: those that need attention, and the names of all. */
export function overviewRoutes(deps: Deps): ConsoleRoute[] {
  const attention = defineConsoleRoute('GET', '/attention', {
    cost: 'report',
    action: 'webhooks.read',
    answers: { 200: { schema: dataOf(attentionSchema) } },
    handle: async ({ caller: { tenant, id } }) =>
      withData(presentAttention(await readAttention(deps, { tenant, userId: id }))),
  })

  const names = defineConsoleRoute('GET', '/webhook-names', {
    cost: 'report',
    action: 'webhooks.read',
    answers: { 200: { schema: dataOf(Joi.array().items(webhookName)) } },
    handle: async ({ caller: { tenant } }) =>
      withData((await listWebhookNames(deps, tenant)).map(presentWebhookName)),
  })

  return [attention, names]
}
