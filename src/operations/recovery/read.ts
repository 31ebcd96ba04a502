import {
  findRecoveries,
  findRecovery,
  findRecoveryPlaces,
  listStarters,
} from '../../db/recovery/recoveries.ts'
import { notFound } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import { listFingerprint, pageOfPlaces, readPlaceCursor } from '../../domain/list-cursor.ts'
import type { CursorPage, CursorRequest } from '../../domain/pagination.ts'
import type { Recovery } from '../../domain/recovery/recovery.ts'
import { tenantKey, type Tenant } from '../../domain/tenant.ts'
import type { Deps } from '../../deps/deps.ts'
import { listNamesOf } from '../audit.ts'
import { getWebhook } from '../webhook/read.ts'

/** One recovery of a webhook. @throws ApiError NOT_FOUND */
export async function getRecovery(
  deps: Deps,
  tenant: Tenant,
  webhookId: string,
  id: string,
): Promise<Recovery> {
  const webhook = await getWebhook(deps, tenant, webhookId)
  const recovery = await findRecovery(deps.db, tenant, webhook.id, id)
  if (!recovery) throw notFound('Recovery')
  return recovery
}

/**
 * Lists recoveries of tenants, newest first.
 *
 * @param webhookId recoveries of one webhook only
 * @throws ApiError VALIDATION_ERROR for a wrong cursor
 */
export async function listRecoveries(
  { db }: Pick<Deps, 'db'>,
  tenants: readonly Tenant[],
  webhookId: string | undefined,
  request: CursorRequest,
): Promise<CursorPage<Recovery>> {
  const { limit } = request
  const list = listFingerprint('recoveries', tenants.map(tenantKey), webhookId)
  const before = readPlaceCursor(request, list, (id) => isId('recovery', id))
  const part = await findRecoveryPlaces(db, tenants, webhookId, { limit, before })
  const ids = part.places.map(({ id }) => id)
  return pageOfPlaces(list, part, await findRecoveries(db, tenants, ids), limit)
}

/** A recovery, and who began it; null where the audit does not say. The name is that of a user or a key. */
export type StartedRecovery = {
  readonly recovery: Recovery
  readonly startedBy: { readonly id: string; readonly name: string | null } | null
}

/** As listRecoveries for one webhook, with who began them. */
export async function listStartedRecoveries(
  deps: Pick<Deps, 'db'>,
  tenant: Tenant,
  webhookId: string,
  request: CursorRequest,
): Promise<CursorPage<StartedRecovery>> {
  const page = await listRecoveries(deps, [tenant], webhookId, request)
  const starters = await listStarters(deps.db, tenant.companyId, webhookId, page.items)
  const names = await listNamesOf(deps, tenant.companyId, [...starters.values()])
  const startedBy = ({ id }: Recovery) => {
    const actorId = starters.get(id)
    return actorId === undefined ? null : { id: actorId, name: names.get(actorId) ?? null }
  }
  return { ...page, items: page.items.map((recovery) => ({ recovery, startedBy: startedBy(recovery) })) }
}
