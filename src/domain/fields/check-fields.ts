import type Joi from 'joi'
import { ApiError } from '../errors.ts'
import { faultMessage } from './fault-message.ts'

/** In a body with more values only the first fault is named: naming thousands would block the process for half a second. */
const MOST_VALUES_LISTED = 2_000

/**
 * Validates without coercion: "true" is no boolean. The message names the fields with a fault, as many as fit into it.
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
    throw new ApiError('VALIDATION_ERROR', faultMessage(faultsOf(all ?? error)), { cause: error })
  }
  return checked
}

/** Keeps the first fault of each field: a value of the wrong type also breaks the rules for the right type. */
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
