import { createHash } from 'node:crypto'
import { parseInstant } from './instants.ts'
import type { CursorPage, CursorRequest } from './pagination.ts'
import { invalid } from './errors.ts'

/**
 * Makes the cursor for the next page of a list. It contains the place of the last record on the page before. Callers
 * need not understand its content.
 */
export const listCursor = (...place: readonly string[]): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url')

/** Reads the place in a cursor. undefined for a text that listCursor did not make with this number of parts. */
export function readListCursor(cursor: string, parts: number): readonly string[] | undefined {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    const isPlace =
      Array.isArray(place) &&
      place.length === parts &&
      place.every((part): part is string => typeof part === 'string')
    if (isPlace && listCursor(...place) === cursor) return place
  } catch {
    // The text is not JSON, so it is not our cursor.
  }
  return undefined
}

/**
 * The place in the cursor of a request; undefined for the first page.
 *
 * @throws ApiError VALIDATION_ERROR if the text is not a cursor of this list
 */
export function readPlace<Read>(
  { cursor }: CursorRequest,
  parts: number,
  toPlace: (parts: readonly string[]) => Read | undefined,
): Read | undefined {
  if (cursor === undefined) return undefined
  const read = readListCursor(cursor, parts)
  const place = read && toPlace(read)
  if (place !== undefined) return place
  throw invalid(
    'The cursor is not one of this list: send next_cursor of the page before with the same filters, or none for the first page.',
  )
}

/** Reads a point in time in a cursor. */
export const readMoment = (text: string | undefined): Date | undefined => parseInstant(text ?? '')

/**
 * A fingerprint of a list and its filters. Cursors contain it, so that a cursor of another list is recognised.
 *
 * @param about JSON values that distinguish the list from others, always in the same order
 */
export const listFingerprint = (...about: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(about)).digest('base64url').slice(0, FINGERPRINT_LENGTH)

const FINGERPRINT_LENGTH = 12

/** A page of rows. The caller has read one row more than the limit, to learn whether another page follows. */
export function cursorPage<T>(
  rows: readonly T[],
  limit: number,
  cursorOf: (last: T) => string,
): CursorPage<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, limit, nextCursor: rows.length > limit && last ? cursorOf(last) : null }
}

/** The place of a row in a list that shows the newest first. Rows of the same moment are ordered by id. */
export type Place = { readonly id: string; readonly createdAt: Date }

/** A part of a list. */
export type FoundPlaces = {
  readonly places: readonly Place[]
  /** The place after which the next part begins; undefined at the end of the list. */
  readonly next: Place | undefined
}

/** The cursor for the part after a place. @param list the fingerprint of the list */
export const placeCursor = (list: string, { id, createdAt }: Place): string =>
  listCursor(list, createdAt.toISOString(), id)

/** The records at the places, in the order of the places. @param found the records that still exist, in any order */
export function recordsOf<T extends { readonly id: string }>(
  places: readonly Place[],
  found: readonly T[],
): T[] {
  const byId = new Map(found.map((record) => [record.id, record]))
  return places.flatMap(({ id }) => byId.get(id) ?? [])
}

/** A page of records whose places were found first. @param found the records that still exist, in any order */
export const pageOfPlaces = <T extends { readonly id: string }>(
  list: string,
  { places, next }: FoundPlaces,
  found: readonly T[],
  limit: number,
): CursorPage<T> => ({
  items: recordsOf(places, found),
  limit,
  nextCursor: next ? placeCursor(list, next) : null,
})

/**
 * Reads a cursor that placeCursor made for the same list; undefined for the first page.
 *
 * @param isIdOfList whether a text may be the id of a record of the list
 * @throws ApiError VALIDATION_ERROR for any other cursor
 */
export const readPlaceCursor = (
  request: CursorRequest,
  list: string,
  isIdOfList: (id: string) => boolean,
): Place | undefined =>
  readPlace(request, 3, ([ofList, moment, id = '']) => {
    const createdAt = readMoment(moment)
    return ofList === list && createdAt && isIdOfList(id) ? { createdAt, id } : undefined
  })
