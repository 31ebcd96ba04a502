import Joi from 'joi'
import { timestamp } from '../api/schemas/common.ts'
import { userRole } from './schemas.ts'

/** Parts that the answer schemas of the session API share. */

type Fields = Readonly<Record<string, Joi.Schema>>

export const text = Joi.string().allow('')
export const textOrNull = text.allow(null)
export const texts = Joi.array().items(text)
export const time = timestamp()
export const timeOrNull = time.allow(null)
export const count = Joi.number().integer()
export const flag = Joi.boolean()

/** Fields of one schema. */
export const all = (schema: Joi.Schema, ...names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, schema]))

/** An object that has all of its fields. */
export const objectOf = (fields: Fields) =>
  Joi.object(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.required()])))

export const listOf = (fields: Fields) => Joi.array().items(objectOf(fields))

/** What every answer shows of a user. */
export const userFields = {
  ...all(text, 'id', 'email', 'name'),
  role: userRole.id('Role'),
  allowed_scopes: texts,
  totp_enabled: flag,
  totp_locked_at: timeOrNull.description('Since when wrong codes have locked it.'),
}

/** A user who is named beside what they did. */
export const person = objectOf({ id: text, name: textOrNull })
