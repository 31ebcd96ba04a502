import { listNames } from '../../db/companies.ts'
import { listDoneForReader } from '../../db/notice/marks.ts'
import { findNoticePlaces, findNotices, type NoticeFilter } from '../../db/notice/notices.ts'
import { orNotFound } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import { listFingerprint, pageOfPlaces, readPlaceCursor } from '../../domain/list-cursor.ts'
import type { Notice, NoticeReader, ReadNotice } from '../../domain/notice/notice.ts'
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
  const { kinds, createdAfter, createdBefore, of } = filter
  const about = [kinds, createdAfter, createdBefore, ...(of ? [of.userId, of.isOpen] : [])]
  const list = listFingerprint('notices', tenants.map(tenantKey), ...about)
  const before = readPlaceCursor(request, list, (id) => isId('notice', id))
  const part = await findNoticePlaces(db, tenants, filter, { limit, before })
  const ids = part.places.map(({ id }) => id)
  return pageOfPlaces(list, part, await findNotices(db, tenants, ids), limit)
}

/** As listNotices, for a user of the console. @param isOpen whether the open ones are wanted, or those done; undefined: both */
export async function listReadNotices(
  deps: Pick<Deps, 'db'>,
  reader: NoticeReader,
  { isOpen, ...request }: NoticeListRequest & { readonly isOpen: boolean | undefined },
): Promise<CursorPage<ReadNotice>> {
  const of = isOpen === undefined ? undefined : { ...reader, isOpen }
  const filter = { ...request.filter, of }
  const { items, ...page } = await listNotices(deps, [reader.tenant], { ...request, filter })
  return { ...page, items: await readBy(deps, reader, items) }
}

/** One notice. @throws ApiError NOT_FOUND */
export async function getReadNotice(
  deps: Pick<Deps, 'db'>,
  reader: NoticeReader,
  id: string,
): Promise<ReadNotice> {
  const [notice] = await readBy(deps, reader, await findNotices(deps.db, [reader.tenant], [id]))
  return orNotFound(notice, 'Notice')
}

async function readBy(
  { db }: Pick<Deps, 'db'>,
  reader: NoticeReader,
  notices: readonly Notice[],
): Promise<ReadNotice[]> {
  const ids = notices.map(({ id }) => id)
  const done = await listDoneForReader(db, reader, ids)
  const users = [...new Set(notices.flatMap(({ doneBy }) => doneBy ?? []))]
  const names = await listNames(db, 'users', reader.tenant.companyId, users)
  return notices.map((notice) => ({
    ...notice,
    isDoneForReader: done.has(notice.id),
    doneByName: names.get(notice.doneBy ?? '') ?? null,
  }))
}
