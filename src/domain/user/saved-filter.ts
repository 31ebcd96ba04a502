/** The lists of the console whose filters a user can save. */
export const FILTERED_PAGES = ['deliveries', 'events'] as const
export type FilteredPage = (typeof FILTERED_PAGES)[number]

/** The filters of a page that a user saved under a name. */
export type SavedFilter = {
  readonly id: string
  readonly page: FilteredPage
  readonly name: string
  /** The query of the page's address, without `?`. */
  readonly query: string
  readonly createdAt: Date
}

/** A user may save at most this many filters of one page. Nobody would read a longer list. */
export const SAVED_FILTERS_AT_MOST = 50

export const SAVED_NAME_LENGTH = 60
export const SAVED_QUERY_LENGTH = 1_000
