import { invalid } from '../errors.ts'

/** JSON from a caller may have at most this many levels, and at most this many values in all. */
export const MAXIMUM_DEPTH = 32
export const MAXIMUM_VALUES = 20_000
const SHOWN_CHARACTERS = 100

type Key = string | number

/**
 * Refuses JSON that is so deep or so wide that a walk over it costs more than its transfer. Also refuses JSON that we would
 * not send out unchanged.
 *
 * @param what the name of the JSON in messages
 * @throws ApiError VALIDATION_ERROR
 */
export function checkJsonShape(root: object, what = 'The request body'): void {
  const path: Key[] = []
  let values = 0

  function walk(value: unknown): void {
    if (typeof value === 'number') checkNumber(value, path)
    if (typeof value !== 'object' || value === null) return
    if (path.length >= MAXIMUM_DEPTH) throw tooDeep(what)
    if (Object.hasOwn(value, '__proto__')) throw invalid(`${what} has a key "__proto__".`)
    for (const [key, child] of Object.entries(value)) {
      if (++values > MAXIMUM_VALUES) throw tooWide(what)
      path.push(Array.isArray(value) ? Number(key) : key)
      walk(child)
      path.pop()
    }
  }
  walk(root)
}

/** A parser rounds numbers beyond 2^53: 12345678901234567890 would be sent as 12345678901234567000. */
function checkNumber(value: number, path: readonly Key[]): void {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return
  throw invalid(
    `The number at ${placeOf(path)} would lose digits: whole numbers go to ${Number.MAX_SAFE_INTEGER}, send larger ones as text.`,
  )
}

/** The path of a value for messages: `data.items[0].id`, in quotes, cut. */
function placeOf(path: readonly Key[]): string {
  const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')
  return JSON.stringify(place.replace(/^\./, '').slice(0, SHOWN_CHARACTERS))
}

const tooDeep = (what: string) => invalid(`${what} is nested deeper than ${MAXIMUM_DEPTH} levels.`)
const tooWide = (what: string) => invalid(`${what} has more than ${MAXIMUM_VALUES} values.`)

/** Whether every part of the service can store the text: no NUL, and no half of a surrogate pair. */
export const isStorable = (text: string): boolean => !/\0|\p{Surrogate}/u.test(text)

/** Whether the text has more than `maximum` characters. An emoji counts as one, as in Unicode, JSON Schema and the database. */
export const isLongerThan = (text: string, maximum: number): boolean =>
  // Stryker disable next-line ConditionalExpression,EqualityOperator: it only saves counting
  text.length > maximum && Array.from(text).length > maximum

/**
 * The fault of a text that people read, as the end of a sentence that begins with the field's name. undefined if there is none.
 */
export function textFault(text: string, maximum: number): string | undefined {
  if (!isStorable(text)) return 'must not contain NUL or unpaired surrogates'
  if (text.trim() === '') return 'must not be blank'
  return isLongerThan(text, maximum) ? `must not be longer than ${maximum} characters` : undefined
}
