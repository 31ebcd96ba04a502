import type { AnyRoute } from '../route.js'
import { errorsOf } from './errors.js'
import type { JsonSchema, SchemaWriter } from './json-schema.js'

const json = (schema: JsonSchema) => ({ 'application/json': { schema } })

/** The tag of a path: `/api-v1-contacts/:id` -> `contacts`. */
export const tagOf = ({ path }: AnyRoute): string => (path.split('/')[1] ?? '').replace('api-v1-', '')

/** `/api-v1-webhooks/:id` -> `/api-v1-webhooks/{id}`. */
export const templateOf = ({ path }: AnyRoute): string => path.replaceAll(/:(\w+)/g, '{$1}')

/** One endpoint as an OpenAPI operation. */
export function operationOf(route: AnyRoute, writer: SchemaWriter): JsonSchema {
  const parameters = [...pathParameters(route), ...queryParameters(route, writer), ...headerParameters(route)]
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: `Scope: ${scopeText(route)}.`,
    tags: [tagOf(route)],
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: { required: true, content: json(writer.write(route.body)) } }),
    responses: { ...answersOf(route, writer), ...errorsOf(route) },
  }
}

const scopeText = ({ scope }: AnyRoute): string =>
  scope === 'any-write' ? '`write:` of the family of each event' : `\`${scope}\``

const pathParameters = ({ path }: AnyRoute): JsonSchema[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))

const queryParameters = ({ query }: AnyRoute, writer: SchemaWriter): JsonSchema[] =>
  query
    ? writer.writeKeys(query).map(({ name, isRequired, schema }) => {
        const { description, ...rest } = schema
        return {
          name,
          in: 'query',
          required: isRequired,
          ...(description !== undefined && { description }),
          schema: rest,
        }
      })
    : []

function headerParameters({ method, hasPrecondition }: AnyRoute): JsonSchema[] {
  const idempotencyKey = { $ref: '#/components/parameters/IdempotencyKey' }
  const ifMatch = { $ref: '#/components/parameters/IfMatch' }
  return [...(method === 'POST' ? [idempotencyKey] : []), ...(hasPrecondition ? [ifMatch] : [])]
}

const answersOf = ({ answers }: AnyRoute, writer: SchemaWriter): JsonSchema =>
  Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema }]) => [
      status,
      { description, content: json(writer.write(schema)) },
    ]),
  )
