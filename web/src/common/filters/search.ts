import type { Query } from '../api/transport.ts'

/** The most characters that the service searches for, and the fewest. */
export const SEARCH_LENGTH = 200
const SHORTEST_SEARCH = 3

/** The time span of all that the service keeps, unless it was told otherwise. */
export const WIDEST_SPAN = '30d'

const RECORD = /^(?:con|org|deal|task|act)_[0-9a-f-]{36}$/

/** The query of a search: the id of a record of ours finds its events by an index, all else is sought as text. */
export function searchQuery(text: string): Query {
  const wanted = text.trim()
  if (wanted.length < SHORTEST_SEARCH) return {}
  return RECORD.test(wanted) ? { record: wanted } : { q: wanted }
}
