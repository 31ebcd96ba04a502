import Joi from 'joi'
import { ID_PREFIXES, type Entity } from '../../domain/ids.ts'

/** Parts for the schemas of answers. For a text with few choices use `Joi.valid(…)`. */

type Fields = Readonly<Record<string, Joi.Schema>>

export const text = Joi.string().allow('')
export const textOrNull = text.allow(null)
export const texts = Joi.array().items(text)
/** A text that is never empty. */
export const word = Joi.string()
export const wordOrNull = word.allow(null)
export const time = Joi.string().isoDate().description('ISO 8601, UTC.')
export const timeOrNull = time.allow(null)
export const count = Joi.number().integer()
export const countOrNull = count.allow(null)
export const flag = Joi.boolean()
/** Always true. It is described as a boolean, because generators make a text of a boolean that has only one value. */
export const alwaysTrue = Joi.valid(true).meta({ openapi: { type: 'boolean', description: 'Always true.' } })

export const idOf = (entity: Entity) =>
  Joi.string().pattern(new RegExp(`^${ID_PREFIXES[entity]}_[0-9a-f-]{36}$`))

/**
 * The schema, or null. `schema.allow(null)` would keep the id of `schema`, so both would share one OpenAPI component.
 */
export const orNull = (schema: Joi.Schema) => Joi.alternatives().try(schema, Joi.valid(null))

/** Fields with these names. All have this schema. */
export const all = (schema: Joi.Schema, ...names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, schema]))

/** An object in which all fields are required, except the `optional()` ones. */
export const objectOf = (fields: Fields) =>
  Joi.object(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        field.$_getFlag('presence') === 'optional' ? field : field.required(),
      ]),
    ),
  )

export const arrayOf = (fields: Fields) => Joi.array().items(objectOf(fields))
