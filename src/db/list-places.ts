import type { Db } from './connection/connection.ts'
import { readRows, type Statement } from './connection/statements.ts'
import { scanStatement, toPlace, type Listing, type ListPart } from './place-statements.ts'
import type { Place, FoundPlaces } from '../domain/list-cursor.ts'

/** How much one search reads. The caller continues where the search ended. */
const LIMITS = {
  /** One search reads at most this many index rows. */
  rows: 10_000,
  /**
   * One statement reads at most this many index rows of each range. The first statement reads only as many as a part
   * without a filter needs.
   */
  rowsAtOnce: 1_000,
  /** The search stops after this time, in milliseconds. */
  ms: 1_000,
}

/**
 * Finds a part of a list. It merges ranges of an index and reads no further than the part, so its cost does not depend on
 * the number of rows. With a filter it reads at most 10,000 rows. It may then return fewer places than `limit` although the
 * list continues.
 */
export async function findPlaces(
  db: Db,
  listing: Listing,
  part: ListPart,
  limits = LIMITS,
): Promise<FoundPlaces> {
  const search = new PlaceSearch(listing, part, limits)
  const found = await search.read(db, part.limit + 1)
  if (found) return found
  search.dropReadAhead()
  // All statements must see the same state. Otherwise a row that moves from one range to another between two statements could
  // be missed.
  return db.transaction(
    async (trx) => {
      for (;;) {
        const foundLater = await search.read(trx, limits.rowsAtOnce)
        if (foundLater) return foundLater
      }
    },
    { isolationLevel: 'repeatable read' },
  )
}

type ScannedRow = { id: string; created_at: Date; range_number: number; is_shown: number | null }

/** A range of the index, and its rows that were read but not taken yet, the newest last. */
type Range = {
  readonly condition: Statement
  rows: ScannedRow[]
  /** The last place that was read in the range. */
  end: Place | undefined
  isReadToTheEnd: boolean
}

const isDry = ({ rows, isReadToTheEnd }: Range): boolean => rows.length === 0 && !isReadToTheEnd

/** Reads the ranges bit by bit, and takes their rows in the order of the list. */
class PlaceSearch {
  readonly #listing: Listing
  readonly #part: ListPart
  readonly #ranges: readonly Range[]
  readonly #places: Place[] = []
  readonly #mostRows: number
  readonly #endsAtMs: number
  #reached: Place | undefined
  #rowsRead = 0

  constructor(listing: Listing, part: ListPart, { rows, ms }: typeof LIMITS) {
    this.#mostRows = rows
    this.#endsAtMs = performance.now() + ms
    this.#listing = listing
    this.#part = part
    this.#reached = part.before
    this.#ranges = listing.ranges.map((condition) => ({
      condition,
      rows: [],
      end: part.before,
      isReadToTheEnd: false,
    }))
  }

  /**
   * With one statement, reads more of each range that has no row left. Then takes the rows that come next in the list.
   *
   * @param count how many index rows to read of each of these ranges
   * @returns the places, once the part is complete or the search must stop
   */
  async read(db: Db, count: number): Promise<FoundPlaces | undefined> {
    const dry = this.#ranges.filter(isDry)
    const each = Math.min(count, Math.floor((this.#mostRows - this.#rowsRead) / dry.length))
    const isOver = each < 1 || performance.now() > this.#endsAtMs
    if (isOver && this.#reached !== this.#part.before) return { places: this.#places, next: this.#reached }
    const rows = await readRows<ScannedRow>(db)`${scanStatement(this.#listing, dry, each, this.#part)}`
    this.#rowsRead += rows.length
    for (const row of rows.sort(oldestFirst)) dry[row.range_number]?.rows.push(row)
    for (const range of dry) {
      range.isReadToTheEnd = range.rows.length < each
      range.end = range.rows[0] ? toPlace(range.rows[0]) : range.end
    }
    return this.#take()
  }

  /** Drops the rows that were read but not taken. The next part reads them again. */
  dropReadAhead(): void {
    for (const range of this.#ranges) {
      range.rows = []
      range.end = this.#reached
      range.isReadToTheEnd = false
    }
  }

  /** Takes rows, the newest first, until it must read more of a range to know the next row. */
  #take(): FoundPlaces | undefined {
    while (!this.#ranges.some(isDry)) {
      const range = this.#rangeOfNewest()
      const row = range?.rows.pop()
      if (!row) return { places: this.#places, next: undefined }
      if (row.is_shown && this.#places.length === this.#part.limit) {
        return { places: this.#places, next: this.#places.at(-1) }
      }
      this.#reached = toPlace(row)
      if (row.is_shown) this.#places.push(this.#reached)
    }
    return undefined
  }

  #rangeOfNewest(): Range | undefined {
    let newest: { readonly range: Range; readonly row: ScannedRow } | undefined
    for (const range of this.#ranges) {
      const row = range.rows.at(-1)
      if (row && (!newest || oldestFirst(row, newest.row) > 0)) newest = { range, row }
    }
    return newest?.range
  }
}

/** The reverse of the list's order. */
const oldestFirst = (a: ScannedRow, b: ScannedRow): number =>
  a.created_at.getTime() - b.created_at.getTime() || (a.id < b.id ? -1 : 1)
