import { LONGEST_SUBJECT } from './event/event.ts'
import { DAY_MS } from './instants.ts'
import { listCursor, readPlace, type Place } from './list-cursor.ts'
import { text } from './fields/rules.ts'
import { isLongerThan } from './fields/storable.ts'
import type { CursorRequest, ListWindow, SearchWindow } from './pagination.ts'

/** What to search for. A list is searched if at least one of these fields is given. */
export type SearchTerms = {
  /** A text that occurs in the payload, in the latest answer or in the webhook's URL. */
  readonly text?: string | undefined
  /** The exact id of the record that an event is about. */
  readonly record?: string | undefined
}

/** Whether a list is searched. */
export const isSearch = ({ text: wanted, record }: SearchTerms): boolean =>
  wanted !== undefined || record !== undefined

/** A shorter text occurs in nearly every row, so a search for it would only be slow. */
const SHORTEST_TEXT = 3
const LONGEST_TEXT = 200

/** The rules for the text and the record, under their names in the api and on the command line. */
export const searchFields = {
  q: text(LONGEST_TEXT)
    .custom((value: string, helpers) => {
      if (/\p{Cc}/u.test(value))
        return helpers.message({ custom: '{{#label}} must not contain control characters' })
      return isLongerThan(value, SHORTEST_TEXT - 1)
        ? value
        : helpers.message({ custom: `{{#label}} must have at least ${SHORTEST_TEXT} characters` })
    })
    .meta({ jsonSchema: { minLength: SHORTEST_TEXT } }),
  record: text(LONGEST_SUBJECT),
}

/** How far back a search for a text looks by default, in milliseconds. */
const DEFAULT_WINDOW_MS = 7 * DAY_MS

/** Where a search continues. */
export type SearchPosition = {
  /** The search has looked at everything newer than this place; undefined at its beginning. */
  readonly before?: Place | undefined
  /**
   * In a search by record: the delivery that was shown last. Its event comes after the place `before` in the order of
   * the search.
   */
  readonly within?: Place | undefined
}

/** The result of a part of a search, and where the next part continues. */
export type SearchFound = {
  readonly places: readonly Place[]
  readonly next: SearchPosition | undefined
  readonly examined: number
}

/**
 * The window of a new search. A search for a record needs no window, because an index has the events of a record. A
 * text is searched for in every row, so by default only the rows of the last 7 days are searched.
 */
export function windowOf(
  { record }: SearchTerms,
  { createdAfter, createdBefore }: ListWindow,
  now: Date,
): SearchWindow {
  const until = createdBefore ?? now
  if (createdAfter || record !== undefined) return { since: createdAfter, until }
  return { since: new Date(until.getTime() - DEFAULT_WINDOW_MS), until }
}

/** The cursor of a search. It contains the window too, because a window that is computed anew would move with the clock. */
export const searchCursor = (
  list: string,
  { since, until }: SearchWindow,
  { before, within }: SearchPosition,
): string => listCursor(list, moment(since), moment(until), ...placeParts(before), ...placeParts(within))

const moment = (date: Date | undefined): string => (date ? date.getTime().toString(36) : '')

const placeParts = (place: Place | undefined): string[] =>
  place ? [moment(place.createdAt), place.id] : ['', '']

/**
 * Reads a cursor that searchCursor made for the same list; undefined for the first part.
 *
 * @param isIdOf whether a text may be an id. The id in `before` belongs to a row that the search reads, the id in
 *   `within` to a row that it shows
 * @throws ApiError VALIDATION_ERROR for any other cursor
 */
export const readSearchCursor = (
  request: CursorRequest,
  list: string,
  isIdOf: { readonly before: (id: string) => boolean; readonly within: (id: string) => boolean },
): (SearchWindow & SearchPosition) | undefined =>
  readPlace(request, 7, ([ofList, since, until, beforeAt, beforeId, withinAt, withinId]) => {
    const end = readMoment(until)
    const [before, within] = [readPart(beforeAt, beforeId), readPart(withinAt, withinId)]
    const isOurs =
      (!before || isIdOf.before(before.id)) && (!within || isIdOf.within(within.id)) && (before ?? within)
    return ofList === list && end && isOurs
      ? { since: readMoment(since), until: end, before, within }
      : undefined
  })

function readMoment(text36: string | undefined): Date | undefined {
  const date = new Date(text36 ? parseInt(text36, 36) : NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

function readPart(at: string | undefined, id: string | undefined): Place | undefined {
  const createdAt = readMoment(at)
  return createdAt && id ? { createdAt, id } : undefined
}
