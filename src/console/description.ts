import { SchemaWriter, type JsonSchema } from '../api/openapi/json-schema.ts'
import { pathsOf } from '../api/openapi/operation.ts'
import type { AnyServedRoute } from '../api/routing/route.ts'
import { routeTable } from '../api/routes/index.ts'
import type { Deps } from '../deps/deps.ts'
import type { ConsoleParts } from './address-route.ts'
import { addressRoutes, companyRoutes } from './routes/index.ts'

type Described = Pick<AnyServedRoute, 'path' | 'body' | 'answers'> & { readonly method: string }

/**
 * Describes the bodies and the successful answers of the session API, in the form of OpenAPI. No api serves it. `npm run
 * wire-types` writes the types of web/ from it, and the tests compare every answer with it.
 *
 * @param deps only the configuration is read
 */
export function describeConsole(deps: Deps): JsonSchema {
  // Only handlers use the other parts, and no handler runs here.
  const parts = { deps } as ConsoleParts
  const routes: Described[] = [
    ...addressRoutes(parts),
    ...companyRoutes(deps, routeTable(deps)).map(({ route }) => route),
  ]
  const writer = new SchemaWriter()
  const paths = pathsOf(routes, (route) => operationOf(route, writer))
  return { paths, components: { schemas: writer.components } }
}

const operationOf = ({ body, answers }: Described, writer: SchemaWriter): JsonSchema => ({
  ...(body && { requestBody: json(writer.write(body, 'request')) }),
  responses: Object.fromEntries(
    Object.entries(answers).map(([status, { schema }]) => [status, json(writer.write(schema, 'answer'))]),
  ),
})

const json = (schema: JsonSchema): JsonSchema => ({ content: { 'application/json': { schema } } })
