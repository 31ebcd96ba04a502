import type Joi from 'joi'
import type { Deps } from '../../deps/deps.ts'
import {
  RESOURCE_FAMILIES,
  titleOf,
  type FamilyDescription,
  type Fields,
} from '../../domain/event/resources.ts'
import { changeResource, createResource, removeResource } from '../../operations/resource/change.ts'
import { copyResources, getResource, listResources } from '../../operations/resource/read.ts'
import { presentCopiedPart, presentPage } from '../../presenters/pagination.ts'
import { presentListedResource, presentResource } from '../../presenters/events.ts'
import { defineRoute, presented, withData, type AnyRoute, type ApiRequest } from '../routing/route.ts'
import { copyListOf, dataOf, deletedSchema } from '../schemas/common.ts'
import {
  changeResourceBody,
  createResourceBody,
  RESOURCE_EXAMPLES,
  resourceListQuery,
  resourceSchema,
} from '../schemas/resources.ts'
import type { Publishing } from './events.ts'

/** The routes of the five families of records. RESOURCE_FAMILIES describes each family. */
export const resourceRoutes = (deps: Deps, publishing: Publishing): AnyRoute[] =>
  Object.values(RESOURCE_FAMILIES).flatMap((description) => familyRoutes(deps, publishing, description))

function familyRoutes(deps: Deps, publishing: Publishing, description: FamilyDescription): AnyRoute[] {
  const { family, entity } = description
  const title = titleOf(entity)
  const schema = resourceSchema(description)
  const path = `/api-v1-${family}`
  const pathOfOne = `${path}/:id`
  const target = ({ caller, params }: Pick<ApiRequest, 'caller' | 'params'>) =>
    getResource(deps, caller.tenant, description, params['id'] ?? '')

  const list = defineRoute('GET', path, {
    cost: 'list',
    scope: `read:${family}`,
    operationId: `list${titleOf(family)}`,
    summary: `List ${family}, or copy them by cursor`,
    description:
      'By page: newest first, with the total. With `cursor`: in the order of ids, so that a deletion moves nothing. To keep a copy, read all parts, then follow GET /api-v1-events/feed from `feed_cursor`. Apply an event only if its `revision` is higher than yours.',
    query: resourceListQuery,
    answers: {
      200: {
        description: `A page of ${family}; with \`cursor\`, the next part of the copy.`,
        schema: copyListOf(schema),
      },
    },
    handle: async ({ caller: { tenant }, query: { limit, page = 1, cursor }, makeRoom }) => {
      if (cursor !== undefined) {
        const part = await copyResources(deps, tenant, description, { limit, cursor }, makeRoom)
        return { body: presentCopiedPart(part, presentListedResource) }
      }
      const found = await listResources(deps, tenant, description, { limit, page }, makeRoom)
      return { body: presentPage(found, presentListedResource) }
    },
  })

  const get = defineRoute('GET', pathOfOne, {
    cost: 'cheap',
    scope: `read:${family}`,
    operationId: `get${title}`,
    summary: `Get one ${entity}`,
    target,
    answers: { 200: { description: `The ${entity}.`, schema: dataOf(schema) } },
    handle: ({ target }) => withData(presentResource(target)),
  })

  const create = defineRoute('POST', path, {
    cost: 'write',
    scope: `write:${family}`,
    operationId: `create${title}`,
    summary: `Create a record of ${family}; publishes ${entity}.created`,
    body: createResourceBody(description) as Joi.Schema<Fields>,
    examples: RESOURCE_EXAMPLES[family].create,
    answers: { 201: { description: `The new ${entity}.`, schema: dataOf(schema) } },
    handle: ({ caller: { tenant, actor }, body, answerOnce, traceparent }) =>
      answerOnce(presented(presentResource, 201), (kept) =>
        createResource(deps, tenant, description, body, { ...publishing, actor, kept, traceparent }),
      ),
  })

  const update = defineRoute('PATCH', pathOfOne, {
    cost: 'write',
    scope: `write:${family}`,
    operationId: `update${title}`,
    summary: `Change the given fields of one ${entity}`,
    target,
    body: changeResourceBody(description) as Joi.Schema<Fields>,
    examples: RESOURCE_EXAMPLES[family].change,
    answers: { 200: { description: `The ${entity} after the change.`, schema: dataOf(schema) } },
    handle: async ({ caller: { tenant, actor }, target: { id }, body, traceparent }) => {
      const options = { quota: publishing.quota, actor, traceparent }
      const changed = await changeResource(deps, tenant, description, id, body, options)
      return withData(presentResource(changed))
    },
  })

  const remove = defineRoute('DELETE', pathOfOne, {
    cost: 'write',
    scope: `write:${family}`,
    operationId: `delete${title}`,
    summary: `Delete one ${entity}`,
    target,
    answers: { 200: { description: 'Deleted.', schema: deletedSchema } },
    handle: async ({ caller: { tenant, actor }, target: { id }, traceparent }) => {
      await removeResource(deps, tenant, description, id, { quota: publishing.quota, actor, traceparent })
      return withData({ deleted: true })
    },
  })
  return [list, get, create, ...(description.isChangeable ? [update, remove] : [])]
}
