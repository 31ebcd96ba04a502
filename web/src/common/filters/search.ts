import type { Query } from '../api/transport.ts'

/** The longest and the shortest text that the service searches for, in characters. */
export const SEARCH_LENGTH = 200
const SHORTEST_SEARCH = 3

/** The span of time for which the service keeps history, unless the operator set another one. */
export const WIDEST_SPAN = '30d'

const RECORD = /^(?:con|org|deal|task|act)_[0-9a-f-]{36}$/

/** The query of a search. The id of a record finds its events by an index. All other text is searched for in payloads. */
export function searchQuery(text: string): Query {
  const wanted = text.trim()
  if (wanted.length < SHORTEST_SEARCH) return {}
  return RECORD.test(wanted) ? { record: wanted } : { q: wanted }
}
