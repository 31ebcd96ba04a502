/** The lists of the console whose filters a user may keep. */
export const FILTERED_PAGES = ['deliveries', 'events'] as const
export type FilteredPage = (typeof FILTERED_PAGES)[number]

/** The filters of a page that a user keeps under a name. */
export type SavedFilter = {
  readonly id: string
  readonly page: FilteredPage
  readonly name: string
  /** The query of the page's address, without `?`. */
  readonly query: string
  readonly createdAt: Date
}

/** Filters of one page that a user may keep. Nobody would read a longer list. */
export const SAVED_FILTERS_AT_MOST = 50

export const SAVED_NAME_LENGTH = 60
export const SAVED_QUERY_LENGTH = 1_000
