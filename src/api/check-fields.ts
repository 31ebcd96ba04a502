import type Joi from 'joi'
import { ApiError } from '../domain/errors.js'

/** Longest message in characters, and how much of it is its end, which says what is wrong with what it names. */
const LONGEST_MESSAGE = 500
const END = 100

/**
 * Validates without coercion: "true" is no boolean. The first fault is the message.
 *
 * @throws ApiError VALIDATION_ERROR
 */
export function checkFields<T>(schema: Joi.Schema<T>, value: unknown): T {
  const { error, value: checked } = schema.validate(value, { convert: false }) as {
    error?: Joi.ValidationError
    value: T
  }
  if (error) throw new ApiError('VALIDATION_ERROR', sentenceOf(error.message), { cause: error })
  return checked
}

/** joi's messages have no full stop, those of our own rules have one; both may repeat what was sent, however long. */
function sentenceOf(message: string): string {
  const text = message.replace(/\.$/, '')
  if (text.length <= LONGEST_MESSAGE) return `${text}.`
  const start = text.slice(0, LONGEST_MESSAGE - END).replace(/[\uD800-\uDBFF]$/, '')
  const end = text.slice(-END).replace(/^[\uDC00-\uDFFF]/, '')
  return `${start}…${end}.`
}
