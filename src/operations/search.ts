import type { SearchedPlaces } from '../db/search-places.ts'
import type { CursorRequest, ListWindow, Searched } from '../domain/pagination.ts'
import {
  readSearchCursor,
  searchCursor,
  windowOf,
  type SearchFound,
  type SearchPosition,
  type SearchTerms,
} from '../domain/search.ts'
import type { Place } from '../domain/list-cursor.ts'
import type { Deps } from '../deps/deps.ts'

type Search = {
  /** The fingerprint of the list. */
  readonly list: string
  readonly request: CursorRequest
  readonly filter: SearchTerms & ListWindow
  readonly isIdOf: Parameters<typeof readSearchCursor>[2]
  /** Searches the window from the position on, until the part is full or enough rows were examined. */
  readonly look: (window: ListWindow, position: SearchPosition) => Promise<SearchFound>
}

/** A part of a list that was searched: its places, and how far the search has come. */
export type SearchedPart = {
  readonly places: readonly Place[]
  readonly nextCursor: string | null
  readonly search: Searched
}

/** Searches the next part of a list. @throws ApiError VALIDATION_ERROR for a wrong cursor */
export async function searchPart(
  { clock }: Pick<Deps, 'clock'>,
  { list, request, filter, isIdOf, look }: Search,
): Promise<SearchedPart> {
  const resumed = readSearchCursor(request, list, isIdOf)
  const window = resumed ?? windowOf(filter, filter, clock())
  const { since, until } = window
  const found = await look({ createdAfter: since, createdBefore: until }, resumed ?? {})
  const { next } = found
  const isComplete = next === undefined
  return {
    places: found.places,
    nextCursor: next ? searchCursor(list, window, next) : null,
    search: {
      since,
      until,
      searchedSince: isComplete ? since : (next.within ?? next.before)?.createdAt,
      examined: found.examined,
      isComplete,
    },
  }
}

/** Turns the result of a walk over the rows into what `look` of a search returns. */
export const toSearchFound = ({ next, ...found }: SearchedPlaces) => ({
  ...found,
  next: next && { before: next },
})
