import Joi from 'joi'
import { dataOf, deletedSchema, oneOf } from '../../api/schemas/common.ts'
import { presented, withData, type ApiRequest } from '../../api/routing/route.ts'
import { text } from '../../domain/fields/rules.ts'
import {
  FILTERED_PAGES,
  SAVED_NAME_LENGTH,
  SAVED_QUERY_LENGTH,
  type SavedFilter,
} from '../../domain/user/saved-filter.ts'
import {
  deleteFilter,
  getSavedFilter,
  listFilters,
  renameFilter,
  saveFilter,
} from '../../operations/user/saved-filters.ts'
import { presentSavedFilter } from '../../presenters/console.ts'
import type { Deps } from '../../deps/deps.ts'
import { savedFilterSchema } from '../answers.ts'
import { consoleRoute, type ConsoleRoute } from '../route.ts'

const name = text(SAVED_NAME_LENGTH).required()

const newFilterBody = Joi.object<Pick<SavedFilter, 'page' | 'name' | 'query'>>({
  name,
  page: oneOf(FILTERED_PAGES).required(),
  query: text(SAVED_QUERY_LENGTH).required(),
}).id('NewSavedFilter')

type Called = Pick<ApiRequest, 'caller'>

const ownerOf = ({ caller: { id, tenant } }: Called) => ({ companyId: tenant.companyId, userId: id })

/** The filters that the user saved. They are the same in both environments. */
export function savedFilterRoutes(deps: Deps): ConsoleRoute[] {
  const target = (request: Called & Pick<ApiRequest, 'params'>) =>
    getSavedFilter(deps, ownerOf(request), request.params['filterId'] ?? '')

  const list = consoleRoute('GET', '/saved-filters', 'cheap', 'filters.read', {
    answers: { 200: { schema: dataOf(Joi.array().items(savedFilterSchema)) } },
    handle: async (request) => withData((await listFilters(deps, ownerOf(request))).map(presentSavedFilter)),
  })

  const save = consoleRoute('POST', '/saved-filters', 'write', 'filters.write', {
    body: newFilterBody,
    answers: { 201: { schema: dataOf(savedFilterSchema) } },
    handle: async (request) =>
      presented(presentSavedFilter, 201)(await saveFilter(deps, ownerOf(request), request.body)),
  })

  const rename = consoleRoute('PATCH', '/saved-filters/:filterId', 'write', 'filters.write', {
    target,
    body: Joi.object<{ name: string }>({ name }),
    answers: { 200: { schema: dataOf(savedFilterSchema) } },
    handle: async (request) => {
      const renamed = await renameFilter(deps, ownerOf(request), request.target, request.body.name)
      return withData(presentSavedFilter(renamed))
    },
  })

  const remove = consoleRoute('DELETE', '/saved-filters/:filterId', 'write', 'filters.write', {
    target,
    answers: { 200: { schema: deletedSchema } },
    handle: async (request) => {
      await deleteFilter(deps, ownerOf(request), request.target)
      return withData({ deleted: true })
    },
  })

  return [list, save, rename, remove]
}
