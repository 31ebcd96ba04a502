import Joi from 'joi'
import { instant } from '../../domain/fields/rules.ts'
import { DEFAULT_PAGE_SIZE, MAXIMUM_PAGE_SIZE, type CursorRequest } from '../../domain/pagination.ts'
import {
  all,
  alwaysTrue,
  count,
  flag,
  objectOf,
  time,
  timeOrNull,
  word,
  wordOrNull,
} from './answer-fields.ts'

/** The body of a route that takes none: `{}`, or an empty body, which is read as `{}`. */
export const noBody = Joi.object({})
  .messages({ 'object.unknown': '{{#label}} is not allowed: this request takes no body' })
  .meta({ jsonSchema: { maxProperties: 0 } })

/** One of a few texts. */
export const oneOf = <T extends string>(choices: readonly T[]) => Joi.string<T>().valid(...choices)

/** A point in time. The text is converted to a Date. */
export const date = () => instant().custom((value: string) => new Date(value))

/**
 * A whole number in a query. Only digits are accepted, because a number type would also accept `1e3`, `+5` and `1.0`.
 *
 * @param fallback the value if the parameter is absent; undefined: it then has no value
 */
function wholeNumber(maximum: number, description: string, fallback?: number) {
  const rule = Joi.string()
    .pattern(/^[1-9]\d{0,8}$/)
    .custom((value: string, helpers) => {
      const number = Number(value)
      return number <= maximum
        ? number
        : helpers.message({ custom: `{{#label}} must be less than or equal to ${maximum}` })
    })
    .messages({ 'string.pattern.base': '{{#label}} must be a positive whole number' })
  const openapi = { type: 'integer', minimum: 1, maximum, description }
  if (fallback === undefined) return rule.meta({ openapi })
  return rule.meta({ openapi: { ...openapi, default: fallback } }).default(fallback)
}

/** The highest number of a page. */
export const MAXIMUM_PAGE = 1_000_000

/** How many records a page of any list has. */
export const limitQuery = () => wholeNumber(MAXIMUM_PAGE_SIZE, 'Records per page.', DEFAULT_PAGE_SIZE)

/** The number of a page. @param fallback the value if the parameter is absent; undefined: it then has no value */
export const pageQuery = (description: string, fallback?: number) =>
  wholeNumber(MAXIMUM_PAGE, description, fallback)

/** `limit` and `cursor`. */
export const cursorQuery = () =>
  Joi.object<CursorRequest>().keys({
    limit: limitQuery(),
    cursor: Joi.string().max(200).description('next_cursor of the page before; none for the first page.'),
  })

/** `true` or `false` in a query. It is a pattern, because joi runs no custom rule on a value that `valid` accepts. */
export const booleanQuery = (description: string) =>
  Joi.string()
    .pattern(/^(?:true|false)$/)
    .messages({ 'string.pattern.base': '{{#label}} must be true or false' })
    .custom((value: string) => value === 'true')
    .meta({ openapi: { type: 'boolean', description } })

const pageLimit = count.min(1).max(MAXIMUM_PAGE_SIZE)

/** The pagination object of list answers. */
const paginationSchema = objectOf({
  total: count.min(0),
  limit: pageLimit,
  page: count.min(1),
  has_more: flag,
}).id('Pagination')

const cursorPagination = { limit: pageLimit, has_more: flag, next_cursor: wordOrNull }

const cursorPaginationSchema = objectOf(cursorPagination).id('CursorPagination')

const copyPaginationSchema = objectOf({
  ...cursorPagination,
  feed_cursor: word.description(
    'Where to follow GET /api-v1-events/feed after the copy; the same in all parts.',
  ),
}).id('CopyPagination')

/** `{ data: … }`. Every success is wrapped like this. */
export const dataOf = (data: Joi.Schema) => objectOf({ data })

const pagesOf = (pagination: Joi.Schema) => (schema: Joi.Schema) =>
  objectOf({ data: Joi.array().items(schema), pagination })

/** `{ data: […], pagination }`. */
export const listOf = pagesOf(paginationSchema)

/** `{ data: […], pagination }` of a list by cursor. */
export const cursorListOf = pagesOf(cursorPaginationSchema)

/** `{ data: […], pagination }` of a list that is read by page or copied by cursor. */
export const copyListOf = pagesOf(Joi.alternatives(paginationSchema, copyPaginationSchema))

const searchedSchema = objectOf({
  since: timeOrNull.description('Where the search begins; null: with all that is kept.'),
  until: time,
  searched_since: timeOrNull.description('Everything from here to `until` has been looked at.'),
  examined: count.description('How many records this part looked at.'),
  complete: flag.description('Whether all from `since` on has been looked at.'),
})
  .id('Searched')
  .description('How far a search with `q` or `record` has looked.')

/** Like cursorListOf, and says how far a search has looked. */
export const searchedListOf = (schema: Joi.Schema) => cursorListOf(schema).keys({ search: searchedSchema })

/** `{ data: […], pagination }` of a list by page or by cursor. It also says how far a search has looked. */
export const anyListOf = (schema: Joi.Schema) =>
  pagesOf(Joi.alternatives(paginationSchema, cursorPaginationSchema))(schema).keys({ search: searchedSchema })

/** The answer to every DELETE. */
export const deletedSchema = dataOf(objectOf({ deleted: alwaysTrue }).id('Deleted'))

/** Fields of answers that a body may repeat, so that the answer to a GET can be sent as a PATCH. They are not stored. */
export const readOnly = (...names: readonly string[]) =>
  all(Joi.any().strip().description('Ignored: only the service sets it.'), ...names)

/** Notes for callers of a list that may be searched. */
export const HOW_TO_SEARCH =
  'With `q` or `record` the answer says in `search` how far it looked. A search for `q` looks through 7 days unless ' +
  '`created_after` says more; go on with `next_cursor` until `complete` is true.'

/** Notes for callers of a list by cursor. */
export const HOW_TO_GO_ON =
  'With a filter a page may hold fewer records than `limit`, or none, although `has_more` is true: go on with `next_cursor`.'
