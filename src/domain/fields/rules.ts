import Joi from 'joi'
import { invalid } from '../errors.ts'
import { parseInstant } from '../instants.ts'

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

/** A pattern that matches the text in upper and lower case, because JSON Schema has no flag for that. */
export const anyCase = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`)

const LETTER_OR_DIGIT = '[A-Za-z0-9]'
const LABEL = `${LETTER_OR_DIGIT}(?:[A-Za-z0-9-]{0,61}${LETTER_OR_DIGIT})?`
const LAST_LABEL = `[A-Za-z](?:[A-Za-z0-9-]{0,61}${LETTER_OR_DIGIT})?`
const DOMAIN = `(?:${LABEL}\\.)+${LAST_LABEL}`
const ATOM = "[\\w!#$%&'*+/=?^`{|}~-]+"

/** Accepts all texts with characters beyond ASCII: a pattern cannot express the rules for international names. */
const OR_INTERNATIONAL = '|[^\\x00-\\x7F]'

/** A domain name of two parts or more (RFC 1035, section 2.3.4). */
export const DOMAIN_PATTERN = `^${DOMAIN}$${OR_INTERNATIONAL}`

/** An email address (RFC 5321, section 4.1.2), without quoted names and address literals. */
export const EMAIL_PATTERN = `^(?=[^@]{1,64}@)${ATOM}(?:\\.${ATOM})*@${DOMAIN}$${OR_INTERNATIONAL}`

const DAY_OF_ANY_MONTH = [
  '(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])',
  '(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)',
  '02-(?:0[1-9]|[12]\\d)',
].join('|')
const MINUTE = '[0-5]\\d'

/** A point in time with its zone, as domain/instants reads it, except that 29 February passes in every year. */
const INSTANT_PATTERN =
  `^[1-9]\\d{3}-(?:${DAY_OF_ANY_MONTH})T(?:(?:[01]\\d|2[0-3]):${MINUTE}(?::${MINUTE}(?:\\.\\d{1,9})?)?` +
  `|24:00(?::00(?:\\.0{1,9})?)?)(?:Z|[+-](?:[01]\\d|2[0-3]):${MINUTE})$`

/**
 * A rule for text that is not blank and that every part of the service can store. The rules of joi are not enough: they
 * accept NUL and half surrogate pairs, which a database or an encoder refuses.
 *
 * @param maximum how many characters are allowed. An emoji counts as one; joi's own `max` would count two
 */
export const text = (maximum: number): Joi.StringSchema =>
  Joi.string()
    .custom((value: string, helpers) => {
      const fault = textFault(value, maximum)
      return fault === undefined ? value : helpers.message({ custom: `{{#label}} ${fault}` })
    })
    .meta({ jsonSchema: { maxLength: maximum, pattern: TEXT_PATTERN } })

/** Describes the rule {@link text} in the OpenAPI document: no NUL, and at least one character that is not blank. */
export const TEXT_PATTERN = String.raw`^[^\x00]*[^\s\x00][^\x00]*$`

/** A rule for a point in time with its zone, ISO 8601. It turns the text into UTC with milliseconds. */
export const instant = () =>
  Joi.string()
    .max(40)
    .custom((value: string, helpers) => {
      const date = parseInstant(value)
      if (!date) {
        return helpers.message({ custom: '{{#label}} must be an ISO 8601 date and time with its zone' })
      }
      return date.toISOString()
    })
    .description('ISO 8601 with its zone, of a day that exists; answered in UTC.')
    .meta({ jsonSchema: { pattern: INSTANT_PATTERN } })
