import { RESPONSE_CLASSES } from '../../domain/delivery/lists.ts'
import { DURATION_BOUNDS_MS, NO_ANSWER_ERRORS, type AttemptFigures } from '../../domain/webhook/stats.ts'

const CLASSES = RESPONSE_CLASSES.map((name) => `class_${name}`)
const BUCKETS = DURATION_BOUNDS_MS.map((bound) => `within_${bound}_ms`)

/** The columns of both tables that count attempts, in the order of `toCounts`. */
export const COUNT_COLUMNS: readonly string[] = [...CLASSES, ...NO_ANSWER_ERRORS, ...BUCKETS]

/** The counts of figures, in the order of COUNT_COLUMNS. */
export const toCounts = ({ byClass, byError, byDuration }: AttemptFigures): number[] => [
  ...RESPONSE_CLASSES.map((name) => byClass[name]),
  ...NO_ANSWER_ERRORS.map((code) => byError[code]),
  ...byDuration,
]

/** The figures of a row, whose counts may be sums: these come as text. */
export function toFigures(row: Readonly<Record<string, unknown>>): AttemptFigures {
  const countsOf = <Name extends string>(names: readonly Name[], columns: readonly string[]) =>
    Object.fromEntries(names.map((name, index) => [name, Number(row[columns[index] ?? ''])])) as Record<
      Name,
      number
    >
  return {
    byClass: countsOf(RESPONSE_CLASSES, CLASSES),
    byError: countsOf(NO_ANSWER_ERRORS, NO_ANSWER_ERRORS),
    byDuration: BUCKETS.map((column) => Number(row[column])),
  }
}

/** The end of an upsert that adds to the counts. */
export const ADD_COUNTS = `ON DUPLICATE KEY UPDATE ${COUNT_COLUMNS.map(
  (column) => `${column} = ${column} + VALUES(${column})`,
).join(', ')}`
