import Joi from 'joi'
import { parseInstant } from '../instants.js'
import { EVENT_TYPES } from '../event/types.js'
import { INSTANT_PATTERN } from './patterns.js'
import { isLongerThan, isStorable } from './text.js'

/**
 * Text that every part of the service can store, with at least one character that is not blank. joi alone would pass text
 * that a database or an encoder refuses.
 *
 * @param maximum characters; joi's own `max` would count an emoji as two
 */
export const text = (maximum: number): Joi.StringSchema =>
  Joi.string()
    .custom((value: string, helpers) => {
      if (!isStorable(value)) {
        return helpers.message({ custom: '{{#label}} must not contain NUL or unpaired surrogates' })
      }
      if (value.trim() === '') return helpers.message({ custom: '{{#label}} must not be blank' })
      if (isLongerThan(value, maximum)) {
        return helpers.message({ custom: `{{#label}} must not be longer than ${maximum} characters` })
      }
      return value
    })
    .meta({ jsonSchema: { maxLength: maximum, pattern: TEXT_PATTERN } })

/** Text with a character other than blanks and without NUL, for the description of the API. */
export const TEXT_PATTERN = String.raw`^[^\x00]*\S[^\x00]*$`

/** A point in time with its zone, ISO 8601; kept and answered in UTC with milliseconds like every other timestamp. */
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

const SHOWN_CHARACTERS = 100

/** A subscribable event type. `message` is the fault of any other value; `{{#shown}}` in it is that value as JSON, cut. */
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
