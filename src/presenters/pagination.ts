import { hasMore, type CursorPage, type Page, type Searched } from '../domain/pagination.ts'

/** A page of a list: the presented items and the pagination object of the specification. */
export const presentPage = <T>(page: Page<T>, present: (item: T) => unknown) => ({
  data: page.items.map(present),
  pagination: { total: page.total, limit: page.limit, page: page.page, has_more: hasMore(page) },
})

/** A part of a list by cursor. */
export const presentCursorPage = <T>(
  { items, limit, nextCursor, search }: CursorPage<T>,
  present: (item: T) => unknown,
) => ({
  data: items.map(present),
  pagination: { limit, has_more: nextCursor !== null, next_cursor: nextCursor },
  ...(search && { search: presentSearched(search) }),
})

/** How far a search has looked. */
const presentSearched = ({ since, until, searchedSince, examined, isComplete }: Searched) => ({
  since: since?.toISOString() ?? null,
  until: until.toISOString(),
  searched_since: searchedSince?.toISOString() ?? null,
  examined,
  complete: isComplete,
})

/** A part of a copy of a list, with the cursor from which to follow the feed after the copy. */
export function presentCopiedPart<T>(
  part: CursorPage<T> & { readonly feedCursor: string },
  present: (item: T) => unknown,
) {
  const { data, pagination } = presentCursorPage(part, present)
  return { data, pagination: { ...pagination, feed_cursor: part.feedCursor } }
}

/** A list that is read as a whole, in the form of a list by cursor. */
export const presentWholeList = <T>(items: readonly T[], present: (item: T) => unknown) =>
  presentCursorPage({ items, limit: items.length, nextCursor: null }, present)
