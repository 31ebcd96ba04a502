import { existsSync, readFileSync } from 'node:fs'
import { BODY_LIMIT } from '../edge/body-limits.ts'
import type { AnyRoute } from '../routing/route.ts'
import { ERROR_SCHEMA, HEADERS, errorResponses } from './answers.ts'
import { eventWebhooks, RECEIVED_EVENTS } from './event-webhooks.ts'
import { SchemaWriter, type JsonSchema } from './json-schema.ts'
import { operationOf, pathsOf, tagOf } from './operation.ts'

const OPENAPI_VERSION = '3.1.0'

const DESCRIPTION = `Webhooks, their deliveries, and the records whose changes they tell of.

Every request carries \`Authorization: Bearer <API key>\`. Successes are wrapped in \`data\`, errors in
\`{ error: { code, message } }\`. Answers may gain fields, and values of
fields such as \`kind\` and \`code\`: ignore those that you do not know. The body of a webhook or
a record may repeat the read-only fields of an answer; they are ignored. All other unknown fields are refused, and an event that is
published takes none but those of its schema. A request that takes no body is refused with any but \`{}\`. Events arrive signed as Standard Webhooks describes; see \`webhooks\`.

Bodies are JSON of at most ${BODY_LIMIT}, 32 levels and 20,000 values, without a key \`__proto__\`, without numbers beyond 2^53 - 1
and without half a surrogate pair in a text.`

const TAGS: Readonly<Record<string, string>> = {
  webhooks: 'Endpoints that receive events, and their deliveries.',
  deliveries: 'The deliveries of all webhooks.',
  'event-types': 'The catalog of event types.',
  events: 'Publishing events of your own, and the events that were published.',
  [RECEIVED_EVENTS]: 'What endpoints receive.',
  notices: 'What a person should know: failing webhooks, failed deliveries, expiring keys.',
  me: 'The API key that asks.',
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
    schema: {
      type: 'string',
      pattern: '^[!-~]([ -~]{0,253}[!-~])?$',
      examples: ['9b2f6a52-1f3c-4d0e-8a57-3c1b5e7d9f20'],
    },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The ETag of the version to change, several of them, or *; 412 when the object changed since.',
    schema: { type: 'string', examples: ['"1"'] },
  },
}

/** The OpenAPI 3.1 document. It is made only from the table of routes. */
export function createDocument(routes: readonly AnyRoute[], publicUrl: string): JsonSchema {
  const writer = new SchemaWriter()
  const paths = pathsOf(routes, (route) => operationOf(route, writer))
  const tags = [...new Set(routes.map(tagOf)), RECEIVED_EVENTS]
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
      headers: HEADERS,
      responses: errorResponses(),
      schemas: { ...writer.components, ApiError: ERROR_SCHEMA },
    },
  }
}

/**
 * The document that describes the API. A process reads the file that the build wrote, because making the document takes
 * a third of a second of one core. Without a build the process makes the document.
 *
 * @param routes without a build, the document is made from these routes
 * @param publicUrl the address of this service, which the build does not know
 * @param built the file that `npm run build` wrote from the routes of this build
 */
export function describeApi(routes: readonly AnyRoute[], publicUrl: string, built?: string): JsonSchema {
  if (built === undefined || !existsSync(built)) return createDocument(routes, publicUrl)
  const document = JSON.parse(readFileSync(built, 'utf8')) as JsonSchema
  return { ...document, servers: [{ url: publicUrl }] }
}
