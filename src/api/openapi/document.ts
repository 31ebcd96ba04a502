import type { AnyRoute } from '../route.js'
import { errorResponses } from './errors.js'
import { eventWebhooks } from './event-webhooks.js'
import { SchemaWriter, type JsonSchema } from './json-schema.js'
import { operationOf, tagOf, templateOf } from './operation.js'

const OPENAPI_VERSION = '3.1.0'

const DESCRIPTION = `Webhooks, their deliveries, and the records whose changes they tell of.

Every request carries \`Authorization: Bearer <API key>\`. Successes are wrapped in \`data\`, errors in
\`{ error: { code, message } }\`. A body may repeat the read-only fields of an answer; they are ignored, other unknown
fields are refused. Events arrive signed as Standard Webhooks describes; see \`webhooks\`.`

const TAGS: Readonly<Record<string, string>> = {
  webhooks: 'Endpoints that receive events, and their deliveries.',
  'event-types': 'The catalog of event types.',
  events: 'Publishing events of your own, and what endpoints receive.',
  organizations: 'Organizations.',
  contacts: 'Contacts.',
  deals: 'Deals.',
  activities: 'Calls, emails, meetings and notes.',
  tasks: 'Tasks.',
}

const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Repeats of the request within 24 hours answer what the first one answered and do nothing.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the version to change; 412 when the object changed since.',
    schema: { type: 'string' },
  },
}

/** The description of the API: OpenAPI 3.1, made of the table of routes and nothing else. */
export function createDocument(routes: readonly AnyRoute[], publicUrl: string): JsonSchema {
  const writer = new SchemaWriter()
  const paths = pathsOf(routes, writer)
  const tags = [...new Set(routes.map(tagOf))]
  return {
    openapi: OPENAPI_VERSION,
    info: {
      title: 'Sales Data API',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    security: [{ apiKey: [] }],
    tags: tags.map((name) => ({ name, description: TAGS[name] ?? name })),
    paths,
    webhooks: eventWebhooks(),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, `<prefix>_<live|test>_<random>`.',
        },
      },
      parameters: PARAMETERS,
      responses: errorResponses(),
      schemas: writer.components,
    },
  }
}

function pathsOf(routes: readonly AnyRoute[], writer: SchemaWriter): JsonSchema {
  const paths: Record<string, JsonSchema> = {}
  for (const route of routes) {
    const operations = (paths[templateOf(route)] ??= {})
    operations[route.method.toLowerCase()] = operationOf(route, writer)
  }
  return paths
}
