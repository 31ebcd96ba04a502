import type { Deps } from '../../deps/deps.ts'
import { changeWebhook, deleteWebhook } from '../../operations/webhook/change.ts'
import { regenerateSecret } from '../../operations/webhook/secret.ts'
import { getWebhook, listWebhooks, viewWebhook } from '../../operations/webhook/read.ts'
import { createWebhook, type NewWebhookInput } from '../../operations/webhook/create.ts'
import { presentPage } from '../../presenters/pagination.ts'
import { presentCreatedWebhook, presentSecret, presentWebhook } from '../../presenters/webhooks.ts'
import { camelCased } from '../../domain/fields/case.ts'
import { etagOf, ifMatch } from '../routing/precondition.ts'
import {
  defineRoute,
  presented,
  withData,
  type Answer,
  type AnyRoute,
  type ApiRequest,
} from '../routing/route.ts'
import { dataOf, deletedSchema, listOf } from '../schemas/common.ts'
import { webhookListQuery } from '../schemas/lists.ts'
import {
  changeWebhookBody,
  createWebhookBody,
  NEW_WEBHOOK_EXAMPLES,
  WEBHOOK_CHANGE_EXAMPLES,
} from '../schemas/webhook-bodies.ts'
import { createdWebhookSchema, secretSchema, webhookSchema } from '../schemas/webhooks.ts'
import type { CreatedWebhook } from '../../domain/webhook/webhook.ts'

const PATH = '/api-v1-webhooks'

/** Finds the webhook that a path names. */
export const webhookTarget =
  (deps: Deps) =>
  ({ caller, params }: Pick<ApiRequest, 'caller' | 'params'>) =>
    getWebhook(deps, caller.tenant, params['id'] ?? '')

/** The webhooks themselves: list, get, create, update, delete, regenerate-secret. */
export function webhookRoutes(deps: Deps): AnyRoute[] {
  const { config } = deps
  const target = webhookTarget(deps)

  const list = defineRoute('GET', PATH, {
    cost: 'list',
    scope: 'read:webhooks',
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    query: webhookListQuery,
    answers: { 200: { description: 'A page of webhooks, newest first.', schema: listOf(webhookSchema) } },
    handle: async ({ caller: { tenant }, query: { is_active: isActive, q: text, ...page } }) => ({
      body: presentPage(await listWebhooks(deps, tenant, page, { isActive, text }), presentWebhook),
    }),
  })

  const get = defineRoute('GET', `${PATH}/:id`, {
    cost: 'cheap',
    scope: 'read:webhooks',
    operationId: 'getWebhook',
    summary: 'Get one webhook',
    target,
    answers: {
      200: { description: 'The webhook, without its secret.', schema: dataOf(webhookSchema), hasEtag: true },
    },
    handle: async ({ caller: { tenant }, target: webhook }) => ({
      headers: { ETag: etagOf(webhook) },
      body: { data: presentWebhook(await viewWebhook(deps, tenant, webhook)) },
    }),
  })

  const create = defineRoute('POST', PATH, {
    cost: 'write',
    scope: 'write:webhooks',
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description: 'The answer shows the signing secret, once.',
    body: createWebhookBody(config.webhookAllowedNetworks),
    examples: NEW_WEBHOOK_EXAMPLES,
    answers: {
      201: {
        description: 'The webhook with its secret, shown only here.',
        schema: dataOf(createdWebhookSchema),
        hasEtag: true,
      },
    },
    handle: ({ caller: { tenant, actor }, body, answerOnce }) => {
      const input = camelCased(body) as NewWebhookInput
      return answerOnce(createdAnswer, (kept) => createWebhook(deps, tenant, actor, input, kept))
    },
  })

  const update = defineRoute('PATCH', `${PATH}/:id`, {
    cost: 'write',
    scope: 'write:webhooks',
    operationId: 'updateWebhook',
    summary: 'Update a webhook',
    description:
      'Only the given fields change; what changes nothing leaves `updated_at` and ETag alone. Activation sends what was held back.',
    target,
    body: changeWebhookBody(config.webhookAllowedNetworks),
    examples: WEBHOOK_CHANGE_EXAMPLES,
    answers: {
      200: { description: 'The webhook after the change.', schema: dataOf(webhookSchema), hasEtag: true },
    },
    hasPrecondition: true,
    handle: async ({ caller: { tenant, actor }, target: { id }, body, header }) => {
      const requireVersion = ifMatch(header('If-Match'))
      const webhook = await changeWebhook(deps, tenant, actor, id, camelCased(body), requireVersion)
      const view = await viewWebhook(deps, tenant, webhook)
      return { headers: { ETag: etagOf(webhook) }, body: { data: presentWebhook(view) } }
    },
  })

  const remove = defineRoute('DELETE', `${PATH}/:id`, {
    cost: 'write',
    scope: 'write:webhooks',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook and cancel its pending deliveries',
    target,
    answers: { 200: { description: 'Deleted.', schema: deletedSchema } },
    hasPrecondition: true,
    handle: async ({ caller: { tenant, actor }, target: { id }, header }) => {
      await deleteWebhook(deps, tenant, actor, id, ifMatch(header('If-Match')))
      return withData({ deleted: true })
    },
  })

  const regenerate = defineRoute('POST', `${PATH}/:id/regenerate-secret`, {
    cost: 'write',
    scope: 'write:webhooks',
    operationId: 'regenerateSecret',
    summary: 'Replace the secret; the former one is invalid at once',
    description:
      'Every attempt that starts after the answer is signed with the new secret, retries included.',
    target,
    answers: { 200: { description: 'The new secret, shown only here.', schema: dataOf(secretSchema) } },
    handle: ({ caller: { tenant, actor }, target: { id }, answerOnce }) =>
      answerOnce(presented(presentSecret), (kept) => regenerateSecret(deps, tenant, actor, id, kept)),
  })

  return [list, get, create, update, remove, regenerate]
}

const createdAnswer = (created: CreatedWebhook): Answer => ({
  status: 201,
  headers: { ETag: etagOf(created.webhook) },
  body: { data: presentCreatedWebhook(created) },
})
