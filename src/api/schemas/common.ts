import Joi from 'joi'
import {
  DEFAULT_PAGE_SIZE,
  MAXIMUM_PAGE_SIZE,
  type CursorRequest,
  type PageRequest,
} from '../../domain/pagination.ts'

/** The body of an endpoint that takes none: `{}`, or nothing at all, which is read as `{}`. */
export const noBody = Joi.object({})
  .messages({ 'object.unknown': '{{#label}} is not allowed: this request takes no body' })
  .meta({ jsonSchema: { maxProperties: 0 } })

/** A whole number in a query: digits only, because a number type would also take `1e3`, `+5` and `1.0`. */
const wholeNumber = (maximum: number, description: string, more: object = {}) =>
  Joi.string()
    .pattern(/^[1-9]\d{0,8}$/)
    .custom((value: string, helpers) => {
      const number = Number(value)
      return number <= maximum
        ? number
        : helpers.message({ custom: `{{#label}} must be less than or equal to ${maximum}` })
    })
    .messages({ 'string.pattern.base': '{{#label}} must be a positive whole number' })
    .meta({ openapi: { type: 'integer', minimum: 1, maximum, ...more, description } })

/** As wholeNumber, with a value for where it is absent. */
const wholeNumberOr = (fallback: number, maximum: number, description: string) =>
  wholeNumber(maximum, description, { default: fallback }).default(fallback)

/** Highest number of a page. */
export const MAXIMUM_PAGE = 1_000_000

/** How many records a page of any list has. */
export const limitQuery = () => wholeNumberOr(DEFAULT_PAGE_SIZE, MAXIMUM_PAGE_SIZE, 'Records per page.')

/** A page number that may be absent. */
export const optionalPage = (description: string) => wholeNumber(MAXIMUM_PAGE, description)

/** `limit` and `page`, and the filters of a list. */
export const pageQuery = <Filters>(filters: Readonly<Record<keyof Filters, Joi.Schema>>) =>
  Joi.object<PageRequest & Filters>().keys({
    limit: limitQuery(),
    page: wholeNumberOr(1, MAXIMUM_PAGE, 'Page number, from 1.'),
    ...filters,
  })

/** `limit` and `cursor`. */
export const cursorQuery = () =>
  Joi.object<CursorRequest>().keys({
    limit: limitQuery(),
    cursor: Joi.string().max(200).description('next_cursor of the page before; none for the first page.'),
  })

/** `true` or `false` in a query. A pattern, because joi runs no custom rule on a value that `valid` accepts. */
export const booleanQuery = (description: string) =>
  Joi.string()
    .pattern(/^(?:true|false)$/)
    .messages({ 'string.pattern.base': '{{#label}} must be true or false' })
    .custom((value: string) => value === 'true')
    .meta({ openapi: { type: 'boolean', description } })

export const timestamp = () => Joi.string().isoDate().description('ISO 8601, UTC.')

/** The schema, or null. The schema itself cannot allow null, because its type is shared with places that do not. */
export const orNull = (schema: Joi.Schema) => Joi.alternatives().try(schema, Joi.valid(null))

/** The pagination object of list answers. */
const paginationSchema = Joi.object({
  total: Joi.number().integer().min(0).required(),
  limit: Joi.number().integer().min(1).max(MAXIMUM_PAGE_SIZE).required(),
  page: Joi.number().integer().min(1).required(),
  has_more: Joi.boolean().required(),
}).id('Pagination')

const cursorPagination = {
  limit: Joi.number().integer().min(1).max(MAXIMUM_PAGE_SIZE).required(),
  has_more: Joi.boolean().required(),
  next_cursor: Joi.string().allow(null).required(),
}

const cursorPaginationSchema = Joi.object(cursorPagination).id('CursorPagination')

const copyPaginationSchema = Joi.object({
  ...cursorPagination,
  feed_cursor: Joi.string()
    .required()
    .description('Where to follow GET /api-v1-events/feed after the copy; the same in all parts.'),
}).id('CopyPagination')

/** `{ data: … }`, as every success is wrapped. */
export const dataOf = (schema: Joi.Schema) => Joi.object({ data: schema.required() })

/** `{ data: […], pagination }`. */
export const listOf = (schema: Joi.Schema) =>
  Joi.object({ data: Joi.array().items(schema).required(), pagination: paginationSchema.required() })

/** `{ data: […], pagination }` of a list by cursor. */
export const cursorListOf = (schema: Joi.Schema) =>
  Joi.object({ data: Joi.array().items(schema).required(), pagination: cursorPaginationSchema.required() })

const searchedSchema = Joi.object({
  since: timestamp()
    .allow(null)
    .required()
    .description('Where the search begins; null: with all that is kept.'),
  until: timestamp().required(),
  searched_since: timestamp()
    .allow(null)
    .required()
    .description('Everything from here to `until` has been looked at.'),
  examined: Joi.number().integer().required().description('How many records this part looked at.'),
  complete: Joi.boolean().required().description('Whether all from `since` on has been looked at.'),
})
  .id('Searched')
  .description('How far a search with `q` or `record` has looked.')

/** As cursorListOf, of a list that may be searched. */
export const searchedListOf = (schema: Joi.Schema) => cursorListOf(schema).keys({ search: searchedSchema })

const eitherListOf = (byCursor: Joi.Schema) => (schema: Joi.Schema) =>
  Joi.object({
    data: Joi.array().items(schema).required(),
    pagination: Joi.alternatives().try(paginationSchema, byCursor).required(),
  })

/** `{ data: […], pagination }` of a list that is read either way, and may be searched. */
export const anyListOf = (schema: Joi.Schema) =>
  eitherListOf(cursorPaginationSchema)(schema).keys({ search: searchedSchema })

/** `{ data: […], pagination }` of a list that is read by page or copied by cursor. */
export const copyListOf = eitherListOf(copyPaginationSchema)

/** The answer to every DELETE. */
export const deletedSchema = dataOf(Joi.object({ deleted: Joi.valid(true).required() }).id('Deleted'))

/** A field of answers that a body may repeat, so that GET -> PATCH round-trips; it is not stored. */
export const readOnly = () => Joi.any().strip().description('Ignored: only the service sets it.')

/** What callers of a list that may be searched should know. */
export const HOW_TO_SEARCH =
  'With `q` or `record` the answer says in `search` how far it looked. A search for `q` looks through 7 days unless ' +
  '`created_after` says more; go on with `next_cursor` until `complete` is true.'

/** What callers of a list by cursor should know. */
export const HOW_TO_GO_ON =
  'With a filter a page may hold fewer records than `limit`, or none, although `has_more` is true: go on with `next_cursor`.'
