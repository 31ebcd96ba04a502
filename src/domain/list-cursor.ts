import { ApiError } from './errors.js'
import type { CursorPage, CursorRequest } from './pagination.js'

/**
 * Makes the cursor for the next page of a list: the place of the last record of the page before. Callers need not know
 * what is in it.
 */
export const listCursor = (...place: readonly string[]): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url')

/** Reads the place in a cursor; undefined for a text that listCursor did not make of so many parts. */
function readListCursor(cursor: string, parts: number): readonly string[] | undefined {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    const isPlace =
      Array.isArray(place) && place.length === parts && place.every((part) => typeof part === 'string')
    return isPlace ? place : undefined
  } catch {
    return undefined
  }
}

/**
 * The place in the cursor of a request; undefined for the first page.
 *
 * @throws ApiError VALIDATION_ERROR for a text that is no cursor of such a list
 */
export function readPlace<Place>(
  { cursor }: CursorRequest,
  parts: number,
  toPlace: (parts: readonly string[]) => Place | undefined,
): Place | undefined {
  if (cursor === undefined) return undefined
  const read = readListCursor(cursor, parts)
  const place = read && toPlace(read)
  if (place !== undefined) return place
  throw new ApiError('VALIDATION_ERROR', 'The cursor is not one of this list: take that of the page before.')
}

/** A moment in a cursor. */
export function readMoment(text: string | undefined): Date | undefined {
  const moment = new Date(text ?? '')
  return Number.isNaN(moment.getTime()) ? undefined : moment
}

/** A page of rows that were read with one more than the limit. */
export function cursorPage<T>(
  rows: readonly T[],
  limit: number,
  cursorOf: (last: T) => string,
): CursorPage<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, limit, nextCursor: rows.length > limit && last ? cursorOf(last) : null }
}
