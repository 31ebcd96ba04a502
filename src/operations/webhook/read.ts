import { readCounters, toWebhookCounters } from '../../db/webhook/counters.ts'
import { readHealths } from '../../db/webhook/health-rows.ts'
import {
  listWebhooks as listWebhookRows,
  listWebhookNames as listNames,
  type WebhookFilter,
  type WebhookName,
  type WebhookOrder,
} from '../../db/webhook/lists.ts'
import { findWebhook } from '../../db/webhook/webhooks.ts'
import type { Deps } from '../../deps/deps.ts'
import { orNotFound } from '../../domain/errors.ts'
import type { Page, PageRequest } from '../../domain/pagination.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { HEALTHY, holdsFirstAttempts } from '../../domain/webhook/health.ts'
import {
  webhookHeaders,
  type Webhook,
  type WebhookView,
  type OwnedWebhookView,
} from '../../domain/webhook/webhook.ts'

/** Finds a webhook. Foreign, unknown, deleted and malformed ids all end the same way. @throws ApiError NOT_FOUND */
export const getWebhook = async ({ db }: Deps, tenant: Tenant, id: string): Promise<Webhook> =>
  orNotFound(await findWebhook(db, tenant, id), 'Webhook')

/** Lists the tenant's webhooks. */
export async function listWebhooks(
  deps: Deps,
  tenant: Tenant,
  page: PageRequest,
  filter: WebhookFilter,
  order?: WebhookOrder,
): Promise<Page<WebhookView>> {
  const found = await listWebhookRows(deps.db, tenant, page, filter, order)
  return { ...found, items: await viewWebhooks(deps, tenant, found.items) }
}

/** The names of all webhooks of the tenant, in the order of the names, each with the webhook's event types. */
export const listWebhookNames = ({ db }: Pick<Deps, 'db'>, tenant: Tenant): Promise<WebhookName[]> =>
  listNames(db, tenant)

/** Adds the headers, the delivery figures and the health of a webhook. */
export async function viewWebhook(deps: Deps, tenant: Tenant, webhook: Webhook): Promise<WebhookView> {
  const [view] = await viewWebhooks(deps, tenant, [webhook])
  if (!view) throw new Error('a view for each webhook')
  return view
}

/** Does the same as viewWebhook for several webhooks, and keeps their order. */
export async function viewWebhooks(
  { config, db }: Deps,
  tenant: Tenant,
  webhooks: readonly Webhook[],
): Promise<WebhookView[]> {
  const ids = webhooks.map(({ id }) => id)
  // Read the health first. Counters that are older than the health would show a success as still waiting.
  const healths = await readHealths(db, tenant, ids)
  const counters = await readCounters(db, tenant, ids)
  return webhooks.map((webhook) => {
    const read = healths.get(webhook.id)
    return {
      webhook,
      headers: webhookHeaders(config.secretsKeys, tenant.companyId, webhook),
      counters: toWebhookCounters(counters.get(webhook.id)),
      health: read?.health ?? HEALTHY,
      holdsFirstAttempts: read !== undefined && holdsFirstAttempts(read.health, read.now),
    }
  })
}

const PAGE = 1_000

/** All webhooks of the tenants, newest first within each tenant. WEBHOOKS_PER_TENANT limits how many there are. */
export async function listOwnedWebhooks(
  deps: Deps,
  tenants: readonly Tenant[],
  isActive?: boolean,
): Promise<OwnedWebhookView[]> {
  const found: OwnedWebhookView[] = []
  for (const tenant of tenants) {
    const { environment } = tenant
    for (let page = 1, isLast = false; !isLast; page++) {
      const { items } = await listWebhooks(deps, tenant, { limit: PAGE, page }, { isActive })
      found.push(...items.map((view) => ({ ...view, environment })))
      isLast = items.length < PAGE
    }
  }
  return found
}

/** One webhook. @throws ApiError NOT_FOUND */
export async function showOwnedWebhook(deps: Deps, tenant: Tenant, id: string): Promise<OwnedWebhookView> {
  const view = await viewWebhook(deps, tenant, await getWebhook(deps, tenant, id))
  return { ...view, environment: tenant.environment }
}
