import Joi from 'joi'
import { DEFAULT_PAGE_SIZE, MAXIMUM_PAGE_SIZE, type PageRequest } from '../domain/pagination.js'

/**
 * Text that every part of the service can keep: no NUL, no half of a surrogate pair (joi lets both pass, a database
 * or an encoder downstream does not), and not only blanks.
 */
export const text = (maximum: number): Joi.StringSchema =>
  Joi.string()
    .max(maximum)
    .custom((value: string, helpers) => {
      if (/\0|\p{Surrogate}/u.test(value)) {
        return helpers.message({ custom: '{{#label}} must not contain NUL or unpaired surrogates' })
      }
      if (value.trim() === '') return helpers.message({ custom: '{{#label}} must not be blank' })
      return value
    })

/** A whole number in a query: digits only, because a number type would also take `1e3`, `+5` and `1.0`. */
const wholeNumber = (fallback: number, maximum: number) =>
  Joi.string()
    .pattern(/^[1-9]\d{0,8}$/)
    .custom((value: string, helpers) => {
      const number = Number(value)
      return number <= maximum
        ? number
        : helpers.message({ custom: `{{#label}} must be less than or equal to ${maximum}` })
    })
    .messages({ 'string.pattern.base': '{{#label}} must be a positive whole number' })
    .default(fallback)

const MAXIMUM_PAGE = 1_000_000

/** `limit` and `page`, and whatever filters a list has. */
export const pageQuery = <Filters extends object>(filters: Joi.PartialSchemaMap<Filters>) =>
  Joi.object<PageRequest & Filters>({
    limit: wholeNumber(DEFAULT_PAGE_SIZE, MAXIMUM_PAGE_SIZE).description('Records per page.'),
    page: wholeNumber(1, MAXIMUM_PAGE).description('Page number, from 1.'),
    ...filters,
  } as Joi.PartialSchemaMap<PageRequest & Filters>)

/** `true` or `false` in a query. */
export const booleanQuery = () =>
  Joi.string()
    .valid('true', 'false')
    .custom((value: string) => value === 'true')

export const timestamp = () => Joi.string().isoDate().description('ISO 8601, UTC.')

/** The pagination object of list answers. */
export const paginationSchema = Joi.object({
  total: Joi.number().integer().min(0).required(),
  limit: Joi.number().integer().min(1).max(MAXIMUM_PAGE_SIZE).required(),
  page: Joi.number().integer().min(1).required(),
  has_more: Joi.boolean().required(),
}).id('Pagination')

/** `{ data: … }`, as every success is wrapped. */
export const dataOf = (schema: Joi.Schema) => Joi.object({ data: schema.required() })

/** `{ data: […], pagination }`. */
export const listOf = (schema: Joi.Schema) =>
  Joi.object({ data: Joi.array().items(schema).required(), pagination: paginationSchema.required() })
