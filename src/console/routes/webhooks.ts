import Joi from 'joi'
import { dataOf, listOf } from '../../api/schemas/common.ts'
import { changeWebhook } from '../../operations/webhook/change.ts'
import { createWebhook, type NewWebhookInput } from '../../operations/webhook/create.ts'
import { listWebhooks, viewWebhook } from '../../operations/webhook/read.ts'
import { revealHeaders } from '../../operations/webhook/secret.ts'
import { presentPage } from '../../presenters/pagination.ts'
import {
  presentCreatedWebhook,
  presentHeaders,
  presentWebhook,
  withHiddenValues,
} from '../../presenters/webhooks.ts'
import { camelCased } from '../../domain/fields/case.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Webhook, CreatedWebhook } from '../../domain/webhook/webhook.ts'
import type { Deps } from '../../deps/deps.ts'
import { etagOf, ifMatch } from '../../api/routing/precondition.ts'
import { withData, type Answer } from '../../api/routing/route.ts'
import { webhookTarget } from '../../api/routes/webhooks.ts'
import { webhookListQuery } from '../../api/schemas/lists.ts'
import { changeWebhookBody, createWebhookBody } from '../../api/schemas/webhook-bodies.ts'
import { newWebhook, shownWebhook, headersAnswer } from '../answers.ts'
import { consoleRoute, type ConsoleRoute } from '../route.ts'
import { requirePassword } from '../console-sessions.ts'

/** null keeps a stored value, which the console does not know. The operation checks the headers, because it knows all values. */
const changedHeaders = Joi.object().pattern(Joi.string().allow(''), Joi.string().allow('', null))

/**
 * Webhooks as in the public API, with three differences. Only the answer of `reveal` shows values of custom headers. A
 * creation and a change of the URL need a recent password. The list begins with webhooks that fail or that the service
 * deactivated.
 */
export function webhookRoutes(deps: Deps): ConsoleRoute[] {
  const { webhookAllowedNetworks } = deps.config
  const target = webhookTarget(deps)
  const toAnswer = async (tenant: Tenant, webhook: Webhook): Promise<Answer> => ({
    headers: { ETag: etagOf(webhook) },
    body: { data: presentWebhook(withHiddenValues(await viewWebhook(deps, tenant, webhook))) },
  })

  const list = consoleRoute('GET', '/webhooks', 'list', 'webhooks.read', {
    query: webhookListQuery,
    answers: { 200: { schema: listOf(shownWebhook) } },
    handle: async ({ caller: { tenant }, query: { is_active: isActive, q: text, ...page } }) => {
      const found = await listWebhooks(deps, tenant, page, { isActive, text }, 'unwell')
      return { body: presentPage(found, (view) => presentWebhook(withHiddenValues(view))) }
    },
  })

  const get = consoleRoute('GET', '/webhooks/:id', 'cheap', 'webhooks.read', {
    target,
    answers: { 200: { schema: dataOf(shownWebhook) } },
    handle: ({ caller: { tenant }, target: webhook }) => toAnswer(tenant, webhook),
  })

  const create = consoleRoute('POST', '/webhooks', 'write', 'webhooks.write', {
    needsPassword: true,
    body: createWebhookBody(webhookAllowedNetworks),
    answers: { 201: { schema: dataOf(newWebhook) } },
    handle: ({ caller: { tenant, actor }, body, answerOnce }) => {
      const input = camelCased(body) as NewWebhookInput
      return answerOnce(createdAnswer, (kept) => createWebhook(deps, tenant, actor, input, kept))
    },
  })

  const update = consoleRoute('PATCH', '/webhooks/:id', 'write', 'webhooks.write', {
    target,
    body: changeWebhookBody(webhookAllowedNetworks).keys({ headers: changedHeaders }),
    answers: { 200: { schema: dataOf(shownWebhook) } },
    handle: async ({ caller: { tenant, actor, session }, target: { id }, body, header }) => {
      const requireVersion = ifMatch(header('If-Match'))
      const changed = await changeWebhook(deps, tenant, actor, id, camelCased(body), (locked) => {
        requireVersion(locked)
        if (body['url'] !== undefined && body['url'] !== locked.url) requirePassword(session)
      })
      return toAnswer(tenant, changed)
    },
  })

  const reveal = consoleRoute('POST', '/webhooks/:id/headers/reveal', 'cheap', 'webhooks.reveal_headers', {
    needsPassword: true,
    target,
    answers: { 200: { schema: dataOf(headersAnswer) } },
    handle: async ({ caller: { tenant, actor }, target: { id } }) =>
      withData(presentHeaders(id, await revealHeaders(deps, tenant, actor, id))),
  })

  return [list, get, create, update, reveal]
}

const createdAnswer = (created: CreatedWebhook): Answer => ({
  status: 201,
  headers: { ETag: etagOf(created.webhook) },
  body: { data: presentCreatedWebhook(withHiddenValues(created)) },
})
