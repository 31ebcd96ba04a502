import type { Filter } from './filter-text.ts'
import { texts } from './texts.ts'

/** The comparisons of a row, with their names for people. */
export const OPERATORS = [
  ['$eq', texts.is],
  ['$ne', texts.isNot],
  ['$gt', texts.isGreaterThan],
  ['$gte', texts.isAtLeast],
  ['$lt', texts.isLessThan],
  ['$lte', texts.isAtMost],
  ['$in', texts.isOneOf],
  ['$nin', texts.isNoneOf],
  ['$exists', texts.isThere],
  ['$regex', texts.matchesPattern],
] as const
export type Operator = (typeof OPERATORS)[number][0]

/** One condition, as a row. */
export type Row = { readonly path: string; readonly operator: Operator; readonly value: string }

/** Whether all rows must hold, or any of them. */
export type Rows = { readonly mode: 'all' | 'any'; readonly rows: readonly Row[] }

const isOperator = (name: string): name is Operator => OPERATORS.some(([operator]) => operator === name)

/** A value as text. A string has quotes only if it would otherwise be read as another value. */
const valueText = (value: unknown): string =>
  typeof value === 'string' && parseValue(value) === value ? value : JSON.stringify(value)

/** `5`, `true` and `null` are values. A text in quotes is a string, and so is everything else. */
function parseValue(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? text : value
  } catch {
    return text
  }
}

function parseOperand(operator: Operator, text: string): unknown {
  if (operator === '$in' || operator === '$nin') return text.split(',').map((part) => parseValue(part.trim()))
  if (operator === '$exists') return text !== 'false'
  return operator === '$regex' ? text : parseValue(text)
}

/** The filter of these rows; null without rows. */
export function filterOfRows({ mode, rows }: Rows): Filter | null {
  const conditions = rows.map(({ path, operator, value }) => ({
    [path]: operator === '$eq' ? parseValue(value) : { [operator]: parseOperand(operator, value) },
  }))
  if (conditions.length === 0) return null
  if (mode === 'any') return { $or: conditions }
  const paths = new Set(rows.map(({ path }) => path))
  return paths.size === rows.length ? (Object.assign({}, ...conditions) as Filter) : { $and: conditions }
}

/** The rows of a filter; undefined if rows cannot express the filter. */
export function rowsOfFilter(filter: Filter | null): Rows | undefined {
  if (!filter) return { mode: 'all', rows: [] }
  const { $or: any, $and: all } = filter
  const isList = Object.keys(filter).length === 1 && (any ?? all) !== undefined
  const conditions = isList ? (any ?? all) : [filter]
  if (!Array.isArray(conditions)) return undefined
  const groups = conditions.map(rowsOfCondition)
  const rows = groups.flatMap((group) => group ?? [])
  const isAny = isList && any !== undefined
  if (groups.includes(undefined) || (isAny && rows.length !== groups.length)) return undefined
  return { mode: isAny ? 'any' : 'all', rows }
}

function rowsOfCondition(condition: unknown): Row[] | undefined {
  if (typeof condition !== 'object' || condition === null) return undefined
  const rows = Object.entries(condition).flatMap(([path, wanted]): (Row | undefined)[] => {
    if (path.startsWith('$')) return [undefined]
    if (typeof wanted !== 'object' || wanted === null)
      return [{ path, operator: '$eq', value: valueText(wanted) }]
    return Object.entries(wanted as Filter).map(([operator, value]) =>
      isOperator(operator) ? rowOf(path, operator, value) : undefined,
    )
  })
  const known = rows.filter((row) => row !== undefined)
  return known.length === rows.length ? known : undefined
}

function rowOf(path: string, operator: Operator, value: unknown): Row | undefined {
  if (!Array.isArray(value))
    return { path, operator, value: operator === '$regex' ? String(value) : valueText(value) }
  const texts = value.map(valueText)
  // Commas separate the values.
  return texts.some((text) => text.includes(',')) ? undefined : { path, operator, value: texts.join(', ') }
}
