import type { SystemDb } from '../../db/connection/connection.ts'
import {
  findDeliveryOwner,
  findKeyCompany,
  findRecoveryOwner,
  findUserCompany,
  findWebhookTenant,
  listCompanies as listCompanyRows,
} from '../../db/owners.ts'
import { notFound } from '../../domain/errors.ts'
import { isId, type Entity } from '../../domain/ids.ts'
import { cursorPage, listCursor, readPlace } from '../../domain/list-cursor.ts'
import type { CursorRequest } from '../../domain/pagination.ts'
import type { SystemDeps } from '../../deps/deps.ts'

/**
 * Finds to whom an id belongs. Only the operator's command line may look across companies.
 *
 * @param name what the id names, for the message
 * @returns a function that throws ApiError NOT_FOUND
 */
const finder =
  <Owner>(entity: Entity, name: string, find: (db: SystemDb, id: string) => Promise<Owner | undefined>) =>
  async ({ db }: SystemDeps, id: string): Promise<Owner> => {
    const owner = isId(entity, id) ? await find(db, id) : undefined
    if (owner === undefined) throw notFound(name)
    return owner
  }

/** The company of a key. */
export const companyOfKey = finder('apiKey', 'API key', findKeyCompany)

/** The company of a user who has not left. */
export const companyOfUser = finder('user', 'User', findUserCompany)

/** The tenant of a webhook. */
export const tenantOfWebhook = finder('webhook', 'Webhook', findWebhookTenant)

/** The tenant and the webhook of a delivery. */
export const ownerOfDelivery = finder('delivery', 'Delivery', findDeliveryOwner)

/** The tenant and the webhook of a recovery. */
export const ownerOfRecovery = finder('recovery', 'Recovery', findRecoveryOwner)

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
