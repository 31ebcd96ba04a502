import { EVENT_CATALOG } from '../../domain/event/catalog.ts'
import { TEST_EVENT_API_VERSION, TEST_EVENT_TYPE } from '../../domain/event/event.ts'
import { titleOf } from '../../domain/event/resources.ts'
import type { JsonSchema } from './json-schema.ts'

/**
 * The tag of what endpoints receive. Generators write a file for each tag, and one of `webhooks` would overwrite that of the
 * requests with the same tag.
 */
export const RECEIVED_EVENTS = 'received-events'

const HEADERS = [
  {
    name: 'webhook-id',
    description: 'The id of the event; repeats of a delivery carry the same.',
    schema: { type: 'string' },
  },
  {
    name: 'webhook-timestamp',
    description: 'When this attempt was signed, in Unix seconds.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  {
    name: 'webhook-signature',
    description:
      '`v1,` and the base64 of the HMAC-SHA256 of `id.timestamp.body`; its key is the secret after `whsec_`, decoded from base64.',
    schema: { type: 'string' },
  },
]

const ANSWERS = {
  '2XX': { description: 'Received. Every other status, redirects included, is a failure and is retried.' },
  '410': { description: 'Gone: the webhook is deactivated.' },
}

/** The part `webhooks:` of the OpenAPI document: for each event type, the request that an endpoint receives. */
export function eventWebhooks(): JsonSchema {
  const subscribable = EVENT_CATALOG.map(({ name, entity, description, example }) => [
    name,
    { post: request(name, description, recordEnvelope(name, dataOf(entity)), example) },
  ])
  const test = [TEST_EVENT_TYPE, { post: testRequest() }]
  return Object.fromEntries([...subscribable, test]) as JsonSchema
}

/** A test event has one attempt, and its 410 deactivates nothing. */
const ANSWERS_TO_TESTS = {
  '2XX': { description: 'Received. Every other status is a failure; a test event is sent once.' },
}

const request = (
  name: string,
  description: string,
  schema: JsonSchema,
  example: unknown,
  responses: JsonSchema = ANSWERS,
): JsonSchema => ({
  operationId: `on_${name.replace('.', '_')}`,
  summary: name,
  description,
  tags: [RECEIVED_EVENTS],
  security: [],
  parameters: HEADERS.map((header) => ({ ...header, in: 'header', required: true })),
  requestBody: { required: true, content: { 'application/json': { schema, example } } },
  responses,
})

/** The schema of an event's `data`: a record of the entity, or any object that a client publishes. */
function dataOf(entity: string): JsonSchema {
  const record = { $ref: `#/components/schemas/${titleOf(entity)}` }
  return { anyOf: [record, { type: 'object', description: 'Data of an event that you published.' }] }
}

/** The envelope of an event of a record. An event that a client publishes may lack the parts that are not required. */
export function recordEnvelope(name: string, data: JsonSchema): JsonSchema {
  const { properties, required, ...shell } = envelope(name, data)
  const context = {
    api_version: { type: 'string', description: 'Only test events have it.' },
    subject: { type: 'string', description: 'The id of the record.' },
    revision: {
      type: 'integer',
      minimum: 1,
      description:
        'Counts the changes of the record, from 1 at its creation. Ignore an event whose revision is lower than one you have seen.',
    },
    previous: {
      type: 'object',
      description: 'The former values of the fields that changed. Creations and deletions have none.',
    },
  }
  return { ...shell, properties: { ...properties, ...context }, required }
}

function envelope(name: string, data: JsonSchema, more: JsonSchema = {}): Envelope {
  const properties = {
    id: { type: 'string', pattern: '^evt_' },
    event: { type: 'string', const: name },
    created_at: { type: 'string', format: 'date-time' },
    ...more,
    data,
  }
  return { type: 'object', properties, required: Object.keys(properties) }
}

type Envelope = JsonSchema & { readonly properties: JsonSchema; readonly required: readonly string[] }

export const TEST_EVENT_DESCRIPTION = 'Sent on request to try an endpoint; not subscribable.'

/** The envelope of a test event without a type of its own. */
export const TEST_EVENT_SCHEMA: JsonSchema = envelope(
  TEST_EVENT_TYPE,
  {
    type: 'object',
    properties: { message: { type: 'string' }, webhook_id: { type: 'string' } },
    required: ['message', 'webhook_id'],
  },
  { api_version: { type: 'string', const: TEST_EVENT_API_VERSION } },
)

function testRequest(): JsonSchema {
  const example = {
    id: 'evt_test_3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e5f',
    event: TEST_EVENT_TYPE,
    created_at: '2026-01-15T09:30:00.000Z',
    api_version: TEST_EVENT_API_VERSION,
    data: { message: 'This is a test event.', webhook_id: 'whk_3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e5f' },
  }
  return request(TEST_EVENT_TYPE, TEST_EVENT_DESCRIPTION, TEST_EVENT_SCHEMA, example, ANSWERS_TO_TESTS)
}
