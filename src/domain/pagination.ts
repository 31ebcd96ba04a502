export const DEFAULT_PAGE_SIZE = 50
export const MAXIMUM_PAGE_SIZE = 100

/** The requested page: `limit` records (1-100), `page` counted from 1. */
export type PageRequest = { readonly limit: number; readonly page: number }

/** One page of records, and the total over all pages. */
export type Page<T> = PageRequest & { readonly total: number; readonly items: readonly T[] }

/** A request for a part of a list by cursor. Without a cursor the part begins at the newest record. */
export type CursorRequest = { readonly limit: number; readonly cursor?: string | undefined }

/** The window of a search: from `since` on, and before `until`. Without `since`, from the oldest kept row on. */
export type SearchWindow = { readonly since: Date | undefined; readonly until: Date }

/** How far a search has got. */
export type Searched = SearchWindow & {
  /** Everything from this time to the end of the window was searched. undefined: everything that is kept was searched. */
  readonly searchedSince: Date | undefined
  /** How many rows this part of the search read. */
  readonly examined: number
  /** Whether the whole window was searched. */
  readonly isComplete: boolean
}

/** A part of a list by cursor. `nextCursor` is null at the end. */
export type CursorPage<T> = {
  readonly items: readonly T[]
  readonly limit: number
  readonly nextCursor: string | null
  /** How far the search has got. Absent if the list was not searched. */
  readonly search?: Searched | undefined
}

/** How many rows to skip before the page begins. */
export const pageOffset = ({ limit, page }: PageRequest): number => (page - 1) * limit

/**
 * Whether a further page exists. It depends only on the total, so a query need not read one item more than the page
 * shows.
 */
export const hasMore = ({ limit, page, total }: PageRequest & { total: number }): boolean =>
  page * limit < total

/**
 * The total of a list whose counter may be late. The last page shows the true total. On other pages the counter is
 * corrected so that `has_more` is true exactly if there is another page.
 *
 * @param found how many records were read, beginning with the page's first one: `limit` + 1 if that many exist
 */
export function totalOfPage(page: PageRequest, found: number, counted: number): number {
  const skipped = pageOffset(page)
  if (found > page.limit) return Math.max(counted, skipped + found)
  if (found > 0) return skipped + found
  return Math.min(counted, skipped)
}

/** A list with this window shows records created from `createdAfter` on, and before `createdBefore`. */
export type ListWindow = {
  readonly createdAfter?: Date | undefined
  readonly createdBefore?: Date | undefined
}

/** Whether the window is empty, because its ends are in the wrong order. */
export const endsBeforeItBegins = ({ createdAfter, createdBefore }: ListWindow): boolean =>
  (createdBefore?.getTime() ?? Infinity) < (createdAfter?.getTime() ?? -Infinity)
