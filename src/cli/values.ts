import { checkJsonShape } from '../domain/fields/storable.ts'
import { parseInstant } from '../domain/instants.ts'
import {
  DEFAULT_PAGE_SIZE,
  endsBeforeItBegins,
  MAXIMUM_PAGE_SIZE,
  type ListWindow,
} from '../domain/pagination.ts'
import { invalid, type ApiError } from '../domain/errors.ts'
import { UsageError, type Values } from './command.ts'

const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/

/**
 * `a,b` -> `['a', 'b']`. Drops blanks around entries, and drops entries that are empty. Only `""` is the empty list. A
 * script with unset variables may give `,`. If that counted as an empty allowlist, it would permit every address.
 *
 * @throws ApiError VALIDATION_ERROR for any other text without an entry
 */
export function parseList(option: string, text: string): string[] {
  const entries = text.split(',').flatMap((entry) => entry.trim() || [])
  if (entries.length === 0 && text !== '') throw invalid(`--${option} has no entry; "" is the empty list.`)
  return entries
}

/** One of the alternatives, spelt exactly. @throws ApiError VALIDATION_ERROR that names the option and the alternatives */
export function parseChoice<T extends string>(option: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((candidate) => candidate === text)
  if (choice === undefined) throw invalid(`--${option} must be one of ${choices.join(', ')}.`)
  return choice
}

/** `true` or `false`. @throws ApiError VALIDATION_ERROR */
export const parseBoolean = (option: string, text: string): boolean =>
  parseChoice(option, text, ['true', 'false']) === 'true'

/**
 * An ISO 8601 date (midnight UTC), or a time with its offset. A time without offset would depend on the machine's zone.
 *
 * @throws ApiError VALIDATION_ERROR
 */
export function parseTime(option: string, text: string): Date {
  const time = parseInstant(ISO_DATE.test(text) ? `${text}T00:00:00Z` : text)
  if (time) return time
  throw invalid(`--${option} must be an ISO 8601 date or time with offset, such as 2030-01-31T12:00:00Z.`)
}

/** Reads a JSON object, such as an event's data, and checks it as the API does. @throws ApiError VALIDATION_ERROR */
export function parseObject(option: string, text: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid(`--${option} is not JSON.`, error)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`--${option} must be a JSON object.`)
  checkJsonShape(value, `--${option}`)
  return value
}

/**
 * Reads an option of a list. These options only say what to show, so a wrong value is wrong usage, exit code 2.
 *
 * @throws UsageError with the message of the parser's refusal
 */
function filterWith<T>(values: Values, option: string, parse: (text: string) => T): T | undefined {
  const text = values[option]
  try {
    return text === undefined ? undefined : parse(text)
  } catch (error) {
    throw new UsageError((error as ApiError).message, { cause: error })
  }
}

/** One of the alternatives, if the option is given. @throws UsageError that names the option and the alternatives */
export const filterBy = <T extends string>(
  values: Values,
  option: string,
  choices: readonly T[],
): T | undefined => filterWith(values, option, (text) => parseChoice(option, text, choices))

/** Several alternatives, `a,b`. @throws UsageError */
export function filterByAny<T extends string>(
  values: Values,
  option: string,
  choices: readonly T[],
): T[] | undefined {
  const text = values[option]
  if (text === undefined) return undefined
  const wanted = new Set<string>(parseList(option, text))
  const chosen = choices.filter((choice) => wanted.has(choice))
  if (chosen.length > 0 && chosen.length === wanted.size) return chosen
  throw new UsageError(`--${option} must be one or more of ${choices.join(', ')}, with commas between.`)
}

/** The window of a list, from --since and --until, which parseTime reads. @throws UsageError */
export function windowOf(values: Values): ListWindow {
  const timeOf = (option: string) => filterWith(values, option, (text) => parseTime(option, text))
  const window = { createdAfter: timeOf('since'), createdBefore: timeOf('until') }
  if (endsBeforeItBegins(window)) throw new UsageError('--until is earlier than --since.')
  return window
}

/** Limit and cursor of a list. @throws UsageError for a limit that is no number from 1 to 100 */
export const pageOf = (values: Values): { limit: number; cursor: string | undefined } => ({
  limit: numberOf(values, 'limit', DEFAULT_PAGE_SIZE),
  cursor: values['cursor'],
})

/** The number of an option, from 1 to MAXIMUM_PAGE_SIZE. @throws UsageError */
export function numberOf(values: Values, option: string, byDefault: number): number {
  const text = values[option] ?? String(byDefault)
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= MAXIMUM_PAGE_SIZE) return number
  throw new UsageError(`--${option} must be a number from 1 to ${MAXIMUM_PAGE_SIZE}.`)
}
