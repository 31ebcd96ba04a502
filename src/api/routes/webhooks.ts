import { readCounters, toWebhookCounters } from '../../db/webhook/counters.js'
import { findWebhook, listWebhooks } from '../../db/webhook/webhooks.js'
import type { Deps } from '../../process/deps.js'
import { notFound } from '../../domain/errors.js'
import { isId } from '../../domain/ids.js'
import type { Tenant } from '../../domain/tenant.js'
import { webhookHeaders, type Webhook } from '../../domain/webhook/webhook.js'
import { changeWebhook, deleteWebhook, type WebhookPatch } from '../../operations/webhook/change.js'
import { regenerateSecret, type RegeneratedSecret } from '../../operations/webhook/secret.js'
import { createWebhook, type WebhookInput, type WebhookWithSecret } from '../../operations/webhook/create.js'
import { presentPage } from '../../presenters/pagination.js'
import { presentCreatedWebhook, presentSecret, presentWebhook } from '../../presenters/webhooks.js'
import type Joi from 'joi'
import { etagOf, ifMatch } from '../routing/precondition.js'
import { defineRoute, type AnyRoute, type ApiRequest } from '../routing/route.js'
import { booleanQuery, dataOf, deletedSchema, listOf, pageQuery } from '../schemas/common.js'
import {
  changeWebhookBody,
  createWebhookBody,
  NEW_WEBHOOK_EXAMPLES,
  WEBHOOK_CHANGE_EXAMPLES,
} from '../schemas/webhook-bodies.js'
import { createdWebhookSchema, secretSchema, webhookSchema } from '../schemas/webhooks.js'

const PATH = '/api-v1-webhooks'

/** Finds the webhook that a path names. Foreign, unknown, deleted and malformed ids all end the same way. */
export const webhookSubject =
  ({ db }: Deps) =>
  async ({ caller, params }: Pick<ApiRequest, 'caller' | 'params'>): Promise<Webhook> => {
    const id = params['id'] ?? ''
    const webhook = isId('webhook', id) ? await findWebhook(db, caller.tenant, id) : undefined
    if (!webhook) throw notFound('Webhook')
    return webhook
  }

/** The webhooks themselves: list, get, create, update, delete, regenerate-secret. */
export function webhookRoutes(deps: Deps): AnyRoute[] {
  const { config, db } = deps
  const subject = webhookSubject(deps)
  const headersOf = (tenant: Tenant, webhook: Webhook) =>
    webhookHeaders(config.secretsKeys, tenant.companyId, webhook)

  async function present(tenant: Tenant, webhook: Webhook) {
    const counters = await readCounters(db, [webhook.id])
    return presentWebhook(webhook, headersOf(tenant, webhook), toWebhookCounters(counters.get(webhook.id)))
  }

  const list = defineRoute({
    method: 'GET',
    path: PATH,
    scope: 'read:webhooks',
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    query: pageQuery<{ is_active?: boolean }>({
      is_active: booleanQuery('Only those that are active, or only those that are not.'),
    }),
    isList: true,
    answers: { 200: { description: 'A page of webhooks, newest first.', schema: listOf(webhookSchema) } },
    handle: async ({ caller: { tenant }, query: { is_active, ...page } }) => {
      const webhooks = await listWebhooks(db, tenant, page, is_active)
      const counters = await readCounters(
        db,
        webhooks.items.map(({ id }) => id),
      )
      const presentItem = (webhook: Webhook) =>
        presentWebhook(webhook, headersOf(tenant, webhook), toWebhookCounters(counters.get(webhook.id)))
      return { body: presentPage(webhooks, presentItem) }
    },
  })

  const get = defineRoute({
    method: 'GET',
    path: `${PATH}/:id`,
    scope: 'read:webhooks',
    operationId: 'getWebhook',
    summary: 'Get one webhook',
    subject,
    answers: {
      200: { description: 'The webhook, without its secret.', schema: dataOf(webhookSchema), hasEtag: true },
    },
    handle: async ({ caller: { tenant }, subject: webhook }) => ({
      headers: { ETag: etagOf(webhook) },
      body: { data: await present(tenant, webhook) },
    }),
  })

  const create = defineRoute({
    method: 'POST',
    path: PATH,
    scope: 'write:webhooks',
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description: 'The answer shows the signing secret, once.',
    body: createWebhookBody(config.webhookAllowedNetworks) as Joi.Schema<WebhookInput>,
    examples: NEW_WEBHOOK_EXAMPLES,
    answers: {
      201: {
        description: 'The webhook with its secret, shown only here.',
        schema: dataOf(createdWebhookSchema),
        hasEtag: true,
      },
    },
    handle: ({ caller: { tenant, actor }, body, answerFrom }) =>
      answerFrom<WebhookWithSecret>(
        (beforeCommit) => createWebhook(deps, tenant, actor, body, beforeCommit),
        ({ webhook, secret }) => ({
          status: 201,
          headers: { ETag: etagOf(webhook) },
          body: { data: presentCreatedWebhook(webhook, headersOf(tenant, webhook), secret) },
        }),
      ),
  })

  const update = defineRoute({
    method: 'PATCH',
    path: `${PATH}/:id`,
    scope: 'write:webhooks',
    operationId: 'updateWebhook',
    summary: 'Update a webhook',
    description:
      'Only the given fields change; what changes nothing leaves `updated_at` and ETag alone. Activation sends what was held back.',
    subject,
    body: changeWebhookBody(config.webhookAllowedNetworks) as Joi.Schema<WebhookPatch>,
    examples: WEBHOOK_CHANGE_EXAMPLES,
    answers: {
      200: { description: 'The webhook after the change.', schema: dataOf(webhookSchema), hasEtag: true },
    },
    hasPrecondition: true,
    handle: async ({ caller: { tenant, actor }, subject: { id }, body, header }) => {
      const webhook = await changeWebhook(deps, tenant, actor, id, body, ifMatch(header('If-Match')))
      return { headers: { ETag: etagOf(webhook) }, body: { data: await present(tenant, webhook) } }
    },
  })

  const remove = defineRoute({
    method: 'DELETE',
    path: `${PATH}/:id`,
    scope: 'write:webhooks',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook and cancel its pending deliveries',
    subject,
    answers: {
      200: { description: 'Deleted.', schema: deletedSchema },
    },
    hasPrecondition: true,
    handle: async ({ caller: { tenant, actor }, subject: { id }, header }) => {
      await deleteWebhook(deps, tenant, actor, id, ifMatch(header('If-Match')))
      return { body: { data: { deleted: true } } }
    },
  })

  const regenerate = defineRoute({
    method: 'POST',
    path: `${PATH}/:id/regenerate-secret`,
    scope: 'write:webhooks',
    operationId: 'regenerateSecret',
    summary: 'Replace the secret; the former one is invalid at once',
    description:
      'Every attempt that starts after the answer is signed with the new secret, retries included.',
    subject,
    answers: { 200: { description: 'The new secret, shown only here.', schema: dataOf(secretSchema) } },
    handle: ({ caller: { tenant, actor }, subject: { id }, answerFrom }) =>
      answerFrom<RegeneratedSecret>(
        (beforeCommit) => regenerateSecret(deps, tenant, actor, id, beforeCommit),
        (regenerated) => ({ body: { data: presentSecret(regenerated) } }),
      ),
  })

  return [list, get, create, update, remove, regenerate]
}
