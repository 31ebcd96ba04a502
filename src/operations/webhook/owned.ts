import type { Environment, Tenant } from '../../domain/tenant.ts'
import type { Deps } from '../../deps/deps.ts'
import { getWebhook, listWebhooks, viewWebhook, type WebhookView } from './read.ts'

/** A webhook, and where it belongs. */
type OwnedWebhookView = WebhookView & { readonly environment: Environment }

const PAGE = 1_000

/** All webhooks of the tenants, newest first in each. WEBHOOKS_PER_TENANT limits how many there are. */
export async function listOwnedWebhooks(
  deps: Deps,
  tenants: readonly Tenant[],
  isActive: boolean | undefined,
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
