import Joi from 'joi'
import { parseInstant } from '../instants.ts'
import { EVENT_TYPES } from '../event/catalog.ts'
import { textFault } from './storable.ts'
import { invalid } from '../errors.ts'

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

/** A message shows at most this many characters of a value. */
const SHOWN_CHARACTERS = 100

/**
 * A rule for an event type that a webhook can subscribe to.
 *
 * @param message the error for other values. joi replaces `{{#shown}}` by the beginning of the value's JSON
 */
export const eventType = (message: string) =>
  Joi.string()
    .valid(...EVENT_TYPES)
    .messages({ 'any.only': message })
    .error((errors) => {
      for (const { local } of errors as { local: Record<string, unknown> }[]) {
        local['shown'] = JSON.stringify(local['value'] ?? null).slice(0, SHOWN_CHARACTERS)
      }
      return errors
    })

/** If a body has more values, only its first fault is named. Naming thousands would block the process for 0.5 s. */
const MOST_VALUES_LISTED = 2_000
/** The longest message, in characters. */
const LONGEST_MESSAGE = 500
const MOST_FAULTS_SHOWN = 5
/** This share of a cut text comes from the end of the fault, because the end says what is wrong. */
const END_SHARE = 0.2

/**
 * Validates without conversion: "true" is not a boolean. The message names the fields with a fault, as many as fit into it.
 *
 * @throws ApiError VALIDATION_ERROR
 */
export function checkFields<T>(schema: Joi.Schema<T>, value: unknown): T {
  const { error, value: checked } = schema.validate(value, { convert: false }) as {
    error?: Joi.ValidationError
    value: T
  }
  if (error) {
    const all = isWide(value)
      ? undefined
      : schema.validate(value, { convert: false, abortEarly: false }).error
    throw invalid(faultMessage(faultsOf(all ?? error)), error)
  }
  return checked
}

/** Keeps only the first fault of each field, because a value of the wrong type also breaks the rules for the right type. */
function faultsOf({ details }: Joi.ValidationError): string[] {
  const byPlace = new Map<string, string>()
  for (const { path, message } of details) {
    const place = JSON.stringify(path)
    if (!byPlace.has(place)) byPlace.set(place, message)
  }
  return [...byPlace.values()]
}

/** Whether the JSON holds more than MOST_VALUES_LISTED values. */
function isWide(json: unknown): boolean {
  const pending = [json]
  for (let seen = 0; pending.length > 0; seen++) {
    if (seen + pending.length > MOST_VALUES_LISTED) return true
    const value = pending.pop()
    if (typeof value === 'object' && value !== null) {
      for (const child of Object.values(value)) pending.push(child)
    }
  }
  return false
}

/**
 * One message of at most 500 characters for the faults of a request, each as a sentence. It shows five faults and counts
 * the others. A fault repeats the sent value, so the longest faults are cut until all fit.
 */
export function faultMessage(faults: readonly string[]): string {
  const shown = faults.slice(0, MOST_FAULTS_SHOWN).map((fault) => fault.replace(/\.$/, ''))
  const hidden = faults.length - shown.length
  const rest = hidden === 0 ? '' : ` ${hidden} more ${hidden === 1 ? 'fault is' : 'faults are'} not shown.`
  const separators = 2 * shown.length - 1
  const longest = longestThatFits(shown, LONGEST_MESSAGE - rest.length - separators)
  return shown.map((fault) => `${cut(fault, longest)}.`).join(' ') + rest
}

/** The length to which the longest texts are cut so that all fit. The room that short texts leave goes to the long ones. */
function longestThatFits(texts: readonly string[], room: number): number {
  let left = room
  const lengths = texts.map(({ length }) => length).sort((a, b) => a - b)
  for (const [index, length] of lengths.entries()) {
    const share = Math.floor(left / (lengths.length - index))
    if (length > share) return share
    left -= length
  }
  return room
}

/** Cuts in the middle, never through a surrogate pair. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text
  const endLength = Math.floor(longest * END_SHARE)
  const start = text.slice(0, longest - endLength - 1).replace(/[\uD800-\uDBFF]$/, '')
  const end = text.slice(-endLength).replace(/^[\uDC00-\uDFFF]/, '')
  return `${start}…${end}`
}
