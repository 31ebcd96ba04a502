import type { SystemDb } from '../../db/connection/connection.ts'
import {
  findDeliveryOwner,
  findKeyCompany,
  findRecoveryOwner,
  findUserCompany,
  findWebhookTenant,
  listCompanies as listCompanyRows,
} from '../../db/owners.ts'
import {
  listFailedWebhooks,
  listLongestFailing,
  type OwnedWebhook,
} from '../../db/webhook/failing-webhooks.ts'
import { findAllNoticePlaces, findAllNotices, type NoticeFilter } from '../../db/notice/notices.ts'
import type { SystemDeps } from '../../deps/deps.ts'
import { orNotFound } from '../../domain/errors.ts'
import { isId, type Entity } from '../../domain/ids.ts'
import {
  cursorPage,
  listCursor,
  readPlace,
  listFingerprint,
  pageOfPlaces,
  readPlaceCursor,
} from '../../domain/list-cursor.ts'
import type { CursorRequest, CursorPage } from '../../domain/pagination.ts'
import type { FailingWebhook } from '../../domain/webhook/health.ts'
import type { Notice } from '../../domain/notice/notice.ts'

/* Only the operator's command line may use these reads, because they span companies. */

/**
 * Makes a function that finds to whom an id belongs.
 *
 * @param name the kind of the object, for the error message
 * @returns the function; it throws ApiError NOT_FOUND
 */
const finder =
  <Owner>(entity: Entity, name: string, find: (db: SystemDb, id: string) => Promise<Owner | undefined>) =>
  async ({ db }: SystemDeps, id: string): Promise<Owner> =>
    orNotFound(isId(entity, id) ? await find(db, id) : undefined, name)

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
 * Companies by id, the largest id first. The ids grow with time, except those that were made before release 0.1.0.
 *
 * @throws ApiError VALIDATION_ERROR for a wrong cursor
 */
export async function listCompanies({ db }: SystemDeps, request: CursorRequest) {
  const below = readPlace(request, 1, ([id]) => id)
  const rows = await listCompanyRows(db, { limit: request.limit + 1, below })
  return cursorPage(rows, request.limit, ({ id }) => listCursor(id))
}

export type { OwnedWebhook }

/** How many webhooks one statement reads. */
const PAGE = 500

/** Reads active webhooks with failed deliveries created at `since` or later, of all companies or of one, by pages. */
export async function* eachFailedWebhook(
  { db }: Pick<SystemDeps, 'db'>,
  since: Date,
  companyId?: string,
): AsyncGenerator<OwnedWebhook> {
  for (let afterId: string | undefined = ''; afterId !== undefined;) {
    const page = { since, companyId, afterId, limit: PAGE }
    const read: Awaited<ReturnType<typeof listFailedWebhooks>> = await listFailedWebhooks(db, page)
    yield* read.found
    afterId = read.nextAfterId
  }
}

/** Failing webhooks of all companies, those that have failed for the longest time first. */
export const listFailingWebhooks = ({ db }: SystemDeps, limit: number): Promise<FailingWebhook[]> =>
  listLongestFailing(db, limit)

/**
 * Lists the notices of all companies and those for the operator, newest first.
 *
 * @throws ApiError VALIDATION_ERROR for a wrong cursor
 */
export async function listAllNotices(
  { db }: Pick<SystemDeps, 'db'>,
  request: CursorRequest & { readonly filter: Pick<NoticeFilter, 'kinds'> },
): Promise<CursorPage<Notice>> {
  const { filter, limit } = request
  const list = listFingerprint('all notices', filter.kinds)
  const before = readPlaceCursor(request, list, (id) => isId('notice', id))
  const part = await findAllNoticePlaces(db, filter, { limit, before })
  const ids = part.places.map(({ id }) => id)
  return pageOfPlaces(list, part, await findAllNotices(db, ids), limit)
}
