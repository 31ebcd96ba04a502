import { allOf } from './conditions.ts'
import type { Db } from './connection/connection.ts'
import { isStatementTimeout } from './connection/errors.ts'
import { withStatementLimit } from './connection/query-guard.ts'
import { NOTHING, readRows, sql, type Statement } from './connection/statements.ts'
import {
  newestFirst,
  toPlace,
  unionOf,
  windowConditions,
  type Listing,
  type ListPart,
} from './place-statements.ts'
import type { FoundPlaces, Place } from '../domain/list-cursor.ts'

/** What one part of a search found, and how many rows it read. */
export type SearchedPlaces = FoundPlaces & { readonly examined: number }

/** How many rows of each range the first step reads. A row may have 512 KiB, so the first step is short. */
const FIRST_STEP = 200
const SHORTEST_STEP = 10
const LONGEST_STEP = 10_000
/** Each step gets as many rows as can be read in about this time, in milliseconds. */
const STEP_MS = 150
/**
 * A part of a search ends after the step in which it has taken this long (in milliseconds) or has read LIMITS.rows
 * rows.
 */
export const LONGEST_SEARCH_MS = 1_200
const LIMITS = { ms: LONGEST_SEARCH_MS, rows: 250_000, firstStep: FIRST_STEP }
/** The server ends a statement of a step after this many milliseconds. */
const STATEMENT_MS = 1_000

/**
 * Searches a list, newest first, for the few rows that match a condition. It works in steps, each a short statement,
 * and the server sends only the rows that match. After 1.2 s or 250,000 rows it returns what it has found. `next` is
 * the place where the next part begins.
 *
 * @throws the database's error, also if a step of 10 rows takes more than 1 s
 */
export const searchPlaces = (
  db: Db,
  listing: Listing,
  part: ListPart,
  limits = LIMITS,
): Promise<SearchedPlaces> =>
  // All statements must see the same state. Otherwise a row that moves from one range to another between two statements could
  // be missed.
  db.transaction((trx) => withStatementLimit(STATEMENT_MS, () => searchIn(trx, listing, part, limits)), {
    isolationLevel: 'repeatable read',
  })

async function searchIn(
  trx: Db,
  listing: Listing,
  part: ListPart,
  limits: typeof LIMITS,
): Promise<SearchedPlaces> {
  const endsAtMs = performance.now() + limits.ms
  const places: Place[] = []
  let examined = 0
  let before = part.before
  for (let rows = limits.firstStep; ;) {
    const startedMs = performance.now()
    const isLate = () => before !== part.before && performance.now() > endsAtMs
    const step = await lookAt(trx, listing, { ...part, before, limit: part.limit - places.length }, rows)
    if (step) {
      examined += step.rows
      places.push(...step.places)
      if (places.length > part.limit) {
        const shown = places.slice(0, part.limit)
        return { places: shown, next: shown.at(-1), examined }
      }
      if (!step.end) return { places, next: undefined, examined }
      before = step.end
    }
    if (examined >= limits.rows || isLate()) return { places, next: before, examined }
    rows = nextStep(rows, performance.now() - startedMs)
  }
}

/**
 * How many rows the next step reads: at most twice as many as the last step. The last step may have been fast only
 * because its rows were small or in memory.
 */
const nextStep = (rows: number, tookMs: number): number =>
  Math.floor(Math.min(LONGEST_STEP, Math.max(SHORTEST_STEP, rows * Math.min(2, STEP_MS / tookMs))))

/**
 * Searches a step of the list. Returns `limit` + 1 places if the step has that many.
 *
 * @returns undefined if the server ended the statement because of its time. For the shortest step that is an error
 */
async function lookAt(trx: Db, listing: Listing, part: ListPart, rows: number) {
  try {
    const step = await findStep(trx, listing, part, rows)
    return { ...step, places: await findShown(trx, listing, step, part.limit + 1) }
  } catch (error) {
    if (rows > SHORTEST_STEP && isStatementTimeout(error)) return undefined
    throw error
  }
}

/** Rows that follow each other in the list, over all its ranges. */
type Step = {
  readonly ranges: readonly Statement[]
  /** The place of the step's last row; undefined: the step has the rest of the list. */
  readonly end: Place | undefined
  readonly rows: number
}

/** Finds the longest step with at most `rows` rows of each range. It reads only the index. */
async function findStep(trx: Db, { from, ranges }: Listing, part: ListPart, rows: number): Promise<Step> {
  const start = windowConditions(part, part.before)
  const last = ranges.map((range) => placesOf(from, [range, ...start], sql`LIMIT 1 OFFSET ${rows - 1}`))
  const ends = await readRows<{ id: string; created_at: Date }>(trx)`${unionOf(last)}`
  const [end] = ends.map(toPlace).sort(newestFirst)
  const within = ranges.map((range) => placesOf(from, [range, ...start, end && notOlderThan(end)]))
  const [count] = await readRows<{ total: number | string }>(
    trx,
  )`select COUNT(*) AS total FROM (${unionOf(within)}) step`
  return { ranges: within, end, rows: Number(count?.total ?? 0) }
}

/** Of the step's places, those that the list shows, newest first. */
async function findShown(trx: Db, { shows }: Listing, { ranges }: Step, most: number): Promise<Place[]> {
  // STRAIGHT_JOIN keeps the written order of the tables. Without it a server may begin with a table that has few rows.
  const rows = await readRows<{ id: string; created_at: Date }>(trx)`
    select STRAIGHT_JOIN scanned.id, scanned.created_at FROM (${unionOf(ranges)}) scanned ${shows?.joins ?? NOTHING}
     WHERE ${shows?.condition ?? 1} ORDER BY scanned.created_at DESC, scanned.id DESC LIMIT ${most}`
  return rows.map(toPlace)
}

function placesOf(
  from: Statement,
  conditions: readonly (Statement | undefined)[],
  limit?: Statement,
): Statement {
  const order = limit ? sql`ORDER BY created_at DESC, id DESC ${limit}` : NOTHING
  return sql`SELECT id, created_at FROM ${from} WHERE ${allOf(conditions)} ${order}`
}

/** The condition for the place itself and newer rows. */
const notOlderThan = ({ createdAt, id }: Place): Statement => sql`
  (created_at > ${createdAt} OR (created_at = ${createdAt} AND id >= ${id}))`
