import type { Notice } from '../../domain/notice/notice.ts'
import type { SystemDb } from '../connection/connection.ts'
import { findPlaces, type FoundPlaces } from '../list-places.ts'
import {
  shownKinds,
  toNotice,
  windowOf,
  type NoticeFilter,
  type NoticePart,
  type NoticeRow,
} from './notices.ts'

/** Finds the places of a part of all notices, those for the operator too. See findPlaces for what it costs. */
export const findAllNoticePlaces = (
  db: SystemDb,
  filter: NoticeFilter,
  part: NoticePart,
): Promise<FoundPlaces> => {
  const everything = { sql: '1 = 1', values: [] }
  const listing = {
    from: 'notices FORCE INDEX (notices_age)',
    ranges: [everything],
    shows: shownKinds(filter),
  }
  return findPlaces(db, listing, { ...part, ...windowOf(filter) })
}

/** The notices among the ids, whosever they are, in no particular order. */
export async function findAllNotices(db: SystemDb, ids: readonly string[]): Promise<Notice[]> {
  const query = db<NoticeRow>('notices')
    .whereIn('id', [...ids])
    .select('*')
  return (await query).map(toNotice)
}
