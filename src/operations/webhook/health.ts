import { readHealths, type ReadHealth } from '../../db/webhook/health.js'
import type { Environment, Tenant } from '../../domain/tenant.js'
import type { Deps } from '../../process/deps.js'
import { getWebhook, listWebhooks, viewWebhook, type WebhookView } from './read.js'

/** A webhook, where it belongs, and the health of its endpoint. */
export type WebhookHealthView = WebhookView &
  Pick<ReadHealth, 'health' | 'now'> & { readonly environment: Environment }

const PAGE = 1_000

/** All webhooks of the tenants, newest first in each. WEBHOOKS_PER_TENANT limits how many there are. */
export async function listWebhooksWithHealth(
  deps: Deps,
  tenants: readonly Tenant[],
  isActive: boolean | undefined,
): Promise<WebhookHealthView[]> {
  const found: WebhookHealthView[] = []
  for (const tenant of tenants) {
    for (let page = 1, isLast = false; !isLast; page++) {
      const { items } = await listWebhooks(deps, tenant, { limit: PAGE, page }, isActive)
      found.push(...(await withHealth(deps, tenant, items)))
      isLast = items.length < PAGE
    }
  }
  return found
}

/** One webhook with the health of its endpoint. @throws ApiError NOT_FOUND */
export async function showWebhookWithHealth(
  deps: Deps,
  tenant: Tenant,
  id: string,
): Promise<WebhookHealthView> {
  const view = await viewWebhook(deps, tenant, await getWebhook(deps, tenant, id))
  const [shown] = await withHealth(deps, tenant, [view])
  if (!shown) throw new Error('a view for each webhook')
  return shown
}

async function withHealth(
  { db }: Deps,
  tenant: Tenant,
  views: readonly WebhookView[],
): Promise<WebhookHealthView[]> {
  const healths = await readHealths(
    db,
    tenant,
    views.map(({ webhook }) => webhook.id),
  )
  return views.flatMap((view) => {
    const read = healths.get(view.webhook.id)
    return read ? [{ ...view, environment: tenant.environment, health: read.health, now: read.now }] : []
  })
}
