import type { NoticeFilter } from '../../db/notice/notices.ts'
import { findAllNoticePlaces, findAllNotices } from '../../db/notice/notices.ts'
import { isId } from '../../domain/ids.ts'
import { listFingerprint, pageOfPlaces, readPlaceCursor } from '../../domain/list-cursor.ts'
import type { Notice } from '../../domain/notice/notice.ts'
import type { CursorPage, CursorRequest } from '../../domain/pagination.ts'
import type { SystemDeps } from '../../deps/deps.ts'

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
