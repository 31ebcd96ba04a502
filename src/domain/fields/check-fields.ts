import type Joi from 'joi'
import { invalid } from '../errors.ts'

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
