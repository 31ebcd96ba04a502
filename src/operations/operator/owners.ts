import {
  findDeliveryOwner,
  findKeyCompany,
  findRecoveryOwner,
  findUserCompany,
  findWebhookTenant,
  listCompanies as listCompanyRows,
} from '../../db/owners.ts'
import { notFound } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import { cursorPage, listCursor, readPlace } from '../../domain/list-cursor.ts'
import type { CursorRequest } from '../../domain/pagination.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { SystemDeps } from '../../deps/deps.ts'

/**
 * Finds the company that an id belongs to. Only the operator's command line may look across companies.
 */

/** The company of a key. @throws ApiError NOT_FOUND */
export async function companyOfKey({ db }: SystemDeps, id: string): Promise<string> {
  const companyId = isId('apiKey', id) ? await findKeyCompany(db, id) : undefined
  if (companyId === undefined) throw notFound('API key')
  return companyId
}

/** The tenant of a webhook. @throws ApiError NOT_FOUND */
export async function tenantOfWebhook({ db }: SystemDeps, id: string): Promise<Tenant> {
  const tenant = isId('webhook', id) ? await findWebhookTenant(db, id) : undefined
  if (!tenant) throw notFound('Webhook')
  return tenant
}

/** The tenant and the webhook of a delivery. @throws ApiError NOT_FOUND */
export async function ownerOfDelivery(
  { db }: SystemDeps,
  id: string,
): Promise<{ tenant: Tenant; webhookId: string }> {
  const owner = isId('delivery', id) ? await findDeliveryOwner(db, id) : undefined
  if (!owner) throw notFound('Delivery')
  return owner
}

/** The tenant and the webhook of a recovery. @throws ApiError NOT_FOUND */
export async function ownerOfRecovery(
  { db }: SystemDeps,
  id: string,
): Promise<{ tenant: Tenant; webhookId: string }> {
  const owner = isId('recovery', id) ? await findRecoveryOwner(db, id) : undefined
  if (!owner) throw notFound('Recovery')
  return owner
}

/**
 * Companies in the order of their ids, the largest first: ids grow with time since 0.1.0.
 *
 * @throws ApiError VALIDATION_ERROR for a wrong cursor
 */
export async function listCompanies({ db }: SystemDeps, request: CursorRequest) {
  const below = readPlace(request, 1, ([id]) => id)
  const rows = await listCompanyRows(db, { limit: request.limit + 1, below })
  return cursorPage(rows, request.limit, ({ id }) => listCursor(id))
}

/** The company of a user who has not left. @throws ApiError NOT_FOUND */
export async function companyOfUser({ db }: SystemDeps, id: string): Promise<string> {
  const companyId = isId('user', id) ? await findUserCompany(db, id) : undefined
  if (companyId === undefined) throw notFound('User')
  return companyId
}
