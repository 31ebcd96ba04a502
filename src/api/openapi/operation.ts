import { ID_PREFIXES, type Entity } from '../../domain/ids.ts'
import { RESOURCE_FAMILIES } from '../../domain/event/resources.ts'
import type { AnyRoute } from '../routing/route.ts'
import { answersOf } from './answers.ts'
import type { JsonSchema, SchemaWriter } from './json-schema.ts'

/** The tag of a path: `/api-v1-contacts/:id` -> `contacts`. */
export const tagOf = ({ path }: AnyRoute): string => (path.split('/')[1] ?? '').replace('api-v1-', '')

/** `/api-v1-webhooks/:id` -> `/api-v1-webhooks/{id}`. */
const templateOf = ({ path }: { readonly path: string }): string => path.replaceAll(/:(\w+)/g, '{$1}')

/** The `paths` of a document. */
export function pathsOf<Route extends { readonly path: string; readonly method: string }>(
  routes: readonly Route[],
  describe: (route: Route) => JsonSchema,
): JsonSchema {
  const paths: Record<string, JsonSchema> = {}
  for (const route of routes) (paths[templateOf(route)] ??= {})[route.method.toLowerCase()] = describe(route)
  return paths
}

/** One route as an OpenAPI operation. */
export function operationOf(route: AnyRoute, writer: SchemaWriter): JsonSchema {
  const queryParameters = route.query ? writer.writeParameters(route.query) : []
  const parameters = [...pathParameters(route), ...queryParameters, ...headerParameters(route)]
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: [route.description, `Scope: ${scopeText(route)}.`].filter(Boolean).join(' '),
    tags: [tagOf(route)],
    ...(parameters.length > 0 && { parameters }),
    ...requestBodyOf(route, writer),
    responses: answersOf(route, writer),
  }
}

/** A route that takes no body has none here. It accepts `{}` too, as the text at the top of the document says. */
function requestBodyOf({ body, isBodyOptional, examples = {} }: AnyRoute, writer: SchemaWriter): JsonSchema {
  if (!body) return {}
  const shown = Object.entries(examples).map(([summary, value], index) => [
    `example${index + 1}`,
    { summary, value },
  ])
  const media = {
    schema: writer.write(body, 'request'),
    ...(shown.length > 0 && { examples: Object.fromEntries(shown) as JsonSchema }),
  }
  return {
    requestBody: { required: !isBodyOptional, content: { 'application/json': media } },
  }
}

function scopeText({ scope }: AnyRoute): string {
  if (scope === 'any') return 'none, every key may ask'
  return scope === 'any-write' ? '`write:` of the family of each event' : `\`${scope}\``
}

/** The entities of path parameters that are not called `id`. */
const NAMED_ENTITIES: Readonly<Record<string, Entity>> = { deliveryId: 'delivery', recoveryId: 'recovery' }

const pathParameters = (route: AnyRoute): JsonSchema[] =>
  [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => {
    const entity = NAMED_ENTITIES[name ?? ''] ?? entityOfTag(tagOf(route))
    return {
      name,
      in: 'path',
      required: true,
      description: `The id of the ${entity}; 404 where there is none for this key.`,
      schema: { type: 'string', pattern: `^${ID_PREFIXES[entity]}_` },
    }
  })

/** `contacts` -> `contact`. */
const entityOfTag = (tag: string): Entity =>
  Object.values(RESOURCE_FAMILIES).find(({ family }) => family === tag)?.entity ??
  (tag === 'events' ? 'event' : 'webhook')

function headerParameters({ method, hasPrecondition }: AnyRoute): JsonSchema[] {
  const idempotencyKey = { $ref: '#/components/parameters/IdempotencyKey' }
  const ifMatch = { $ref: '#/components/parameters/IfMatch' }
  return [...(method === 'POST' ? [idempotencyKey] : []), ...(hasPrecondition ? [ifMatch] : [])]
}
