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

type NoticeListRequest = CursorRequest & { readonly filter: NoticeFilter }

/**
 * Lists the notices of tenants, newest first. Notices for the operator are never among them. With a filter a page may
 * have fewer notices than `limit` although the list goes on.
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
  const fields = [kinds, createdAfter, createdBefore, ...(of ? [of.userId, of.isOpen] : [])]
  const fingerprint = listFingerprint('notices', tenants.map(tenantKey), ...fields)
  const before = readPlaceCursor(request, fingerprint, (id) => isId('notice', id))
  const part = await findNoticePlaces(db, tenants, filter, { limit, before })
  const ids = part.places.map(({ id }) => id)
  return pageOfPlaces(fingerprint, part, await findNotices(db, tenants, ids), limit)
}

/**
 * Lists notices as listNotices does, and adds whether each notice is done for the reader.
 *
 * @param isOpen true: the open ones; false: the done ones; undefined: both
 */
export async function listNoticesForReader(
  deps: Pick<Deps, 'db'>,
  reader: NoticeReader,
  { isOpen, ...request }: NoticeListRequest & { readonly isOpen: boolean | undefined },
): Promise<CursorPage<ReadNotice>> {
  const of = isOpen === undefined ? undefined : { ...reader, isOpen }
  const filter = { ...request.filter, of }
  const { items, ...page } = await listNotices(deps, [reader.tenant], { ...request, filter })
  return { ...page, items: await withMarks(deps, reader, items) }
}

/** One notice. @throws ApiError NOT_FOUND */
export async function getNoticeForReader(deps: Deps, reader: NoticeReader, id: string): Promise<ReadNotice> {
  const [notice] = await withMarks(deps, reader, await findNotices(deps.db, [reader.tenant], [id]))
  return orNotFound(notice, 'Notice')
}

async function withMarks({ db }: Pick<Deps, 'db'>, reader: NoticeReader, notices: readonly Notice[]) {
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
