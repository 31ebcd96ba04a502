export const DEFAULT_PAGE_SIZE = 50
export const MAXIMUM_PAGE_SIZE = 100

/** A page asked for: `limit` records (1-100), `page` counted from 1. */
export type PageRequest = { readonly limit: number; readonly page: number }

/** One page of records and the total over all pages. */
export type Page<T> = PageRequest & { readonly total: number; readonly items: readonly T[] }

/** A request for a part of a list by cursor; without a cursor the part begins at the newest record. */
export type CursorRequest = { readonly limit: number; readonly cursor?: string | undefined }

/** What a search looks through: from `since` on, undefined for all that is kept, and before `until`. */
export type SearchWindow = { readonly since: Date | undefined; readonly until: Date }

/** How far a search has looked. */
export type Searched = SearchWindow & {
  /** Everything from here to the end of the window was looked at; undefined: all that is kept. */
  readonly searchedSince: Date | undefined
  /** Rows that this part of the search looked at. */
  readonly examined: number
  /** Whether the window has been looked through. */
  readonly isComplete: boolean
}

/** Part of a list that is read by cursor; `nextCursor` is null at the end. */
export type CursorPage<T> = {
  readonly items: readonly T[]
  readonly limit: number
  readonly nextCursor: string | null
  /** How far the search has looked; only if the list was searched. */
  readonly search?: Searched | undefined
}

/** Rows to skip before the page begins. */
export const pageOffset = ({ limit, page }: PageRequest): number => (page - 1) * limit

/** Whether a further page exists. The total alone decides, so that no query reads one item more than the page shows. */
export const hasMore = ({ limit, page, total }: PageRequest & { total: number }): boolean =>
  page * limit < total

/**
 * The total of a list whose counter may lag behind. The last page shows the true total. On any other page the counter is
 * corrected so that `has_more` is true exactly while there is another page.
 *
 * @param found records read from the page's first one on: one more than `limit` if there are as many
 */
export function totalOfPage(page: PageRequest, found: number, counted: number): number {
  const skipped = pageOffset(page)
  if (found > page.limit) return Math.max(counted, skipped + found)
  if (found > 0) return skipped + found
  return Math.min(counted, skipped)
}

/** The time in which the records of a list were created: from `createdAfter` on, and before `createdBefore`. */
export type ListWindow = {
  readonly createdAfter?: Date | undefined
  readonly createdBefore?: Date | undefined
}

/** Whether the window is empty because its ends are swapped. */
export const endsBeforeItBegins = ({ createdAfter, createdBefore }: ListWindow): boolean =>
  (createdBefore?.getTime() ?? Infinity) < (createdAfter?.getTime() ?? -Infinity)
