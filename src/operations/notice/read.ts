import { findNoticePlaces, findNotices, type NoticeFilter } from '../../db/notice/notices.ts'
import { isId } from '../../domain/ids.ts'
import { listFingerprint, pageOfPlaces, readPlaceCursor } from '../../domain/list-cursor.ts'
import type { Notice } from '../../domain/notice/notice.ts'
import type { CursorPage, CursorRequest } from '../../domain/pagination.ts'
import { tenantKey, type Tenant } from '../../domain/tenant.ts'
import type { Deps } from '../../deps/deps.ts'

/** Which notices are wanted. */
type NoticeListRequest = CursorRequest & { readonly filter: NoticeFilter }

/**
 * Lists the notices of tenants, newest first; those for the operator are never among them. With a filter a page may hold
 * fewer than `limit` although the list goes on.
 *
 * @throws ApiError VALIDATION_ERROR for a wrong cursor
 */
export async function listNotices(
  { db }: Pick<Deps, 'db'>,
  tenants: readonly Tenant[],
  request: NoticeListRequest,
): Promise<CursorPage<Notice>> {
  const { filter, limit } = request
  const { kinds, createdAfter, createdBefore } = filter
  const list = listFingerprint('notices', tenants.map(tenantKey), kinds, createdAfter, createdBefore)
  const before = readPlaceCursor(request, list, (id) => isId('notice', id))
  const part = await findNoticePlaces(db, tenants, filter, { limit, before })
  const ids = part.places.map(({ id }) => id)
  return pageOfPlaces(list, part, await findNotices(db, tenants, ids), limit)
}
