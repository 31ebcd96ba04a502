import { EVENT_CATALOG } from '../../domain/event/catalog.ts'
import { RESOURCE_FAMILIES, titleOf, type FamilyDescription } from '../../domain/event/resources.ts'
import { resourceSchema } from '../schemas/resources.ts'
import { recordEnvelope, TEST_EVENT_DESCRIPTION, TEST_EVENT_SCHEMA } from './event-webhooks.ts'
import { SchemaWriter, type JsonSchema } from './json-schema.ts'

/**
 * Files from which receivers can generate code: a JSON Schema for the envelope of each event type, keyed by the path of
 * its file, and one file with the TypeScript types of all envelopes.
 */
export type EventFiles = { readonly schemas: ReadonlyMap<string, JsonSchema>; readonly declarations: string }

/** The path of the schema of a type. */
export const schemaPath = (type: string): string => `/event-types/${type}.schema.json`

/** The path of the declarations. */
export const DECLARATIONS_PATH = '/event-types/index.d.ts'

type ObjectSchema = JsonSchema & {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
}

/** Maps each entity to the schema of its records in answers and events, made from the rules of the fields. */
function recordsByEntity(): ReadonlyMap<string, { schema: ObjectSchema; family: FamilyDescription }> {
  const writer = new SchemaWriter()
  return new Map(
    Object.values(RESOURCE_FAMILIES).map((family) => {
      writer.write(resourceSchema(family), 'answer')
      return [family.entity, { schema: writer.components[titleOf(family.entity)] as ObjectSchema, family }]
    }),
  )
}

/**
 * Makes the schemas and the declarations from the rules that check records. The files describe the events of the
 * service's own records. An event that a client publishes may have other data.
 */
export function eventFiles(publicUrl: string): EventFiles {
  const records = recordsByEntity()
  const schemas = new Map<string, JsonSchema>()
  const types: string[] = []
  for (const { name, entity, description, example } of EVENT_CATALOG) {
    const record = records.get(entity)
    if (!record) throw new Error(`no record of ${entity}`)
    const data = record.schema
    const envelope = recordEnvelope(name, data) as ObjectSchema
    const { previous, ...properties } = envelope.properties
    // A task may be created as completed. Then its `task.completed` has no `previous`.
    const isChange = 'previous' in example
    const hasFormer = isChange && name !== 'task.completed'
    const former = { ...previous, properties: formerFields(record, name) }
    const schema = {
      type: 'object',
      properties: { ...properties, ...(isChange && { previous: former }) },
      required: [...envelope.required, 'subject', 'revision', ...(hasFormer ? ['previous'] : [])],
    }
    const about = { $schema: SCHEMA, $id: `${publicUrl}${schemaPath(name)}`, title: name, description }
    schemas.set(schemaPath(name), { ...about, ...schema })
    const shown = { ...schema, properties: { ...schema.properties, data: { $ref: titleOf(entity) } } }
    types.push(`/** ${description} */\nexport type ${nameOf(name)} = ${typeOf(shown)}`)
  }
  const shapes = [...records].map(
    ([entity, { schema }]) => `export type ${titleOf(entity)} = ${typeOf(schema)}`,
  )
  const all = EVENT_CATALOG.map(({ name }) => nameOf(name)).join(' | ')
  const test = `/** ${TEST_EVENT_DESCRIPTION} */\nexport type TestWebhookEvent = ${typeOf(TEST_EVENT_SCHEMA)}`
  const union = `/** Any of them; \`event\` tells which. */\nexport type SalesDataEvent = ${all} | TestWebhookEvent`
  return { schemas, declarations: `${[HEAD, ...shapes, ...types, test, union].join('\n\n')}\n` }
}

const SCHEMA = 'https://json-schema.org/draft/2020-12/schema'

const HEAD = `// The events of the Sales Data service, as endpoints receive them. Fields may be added. The data of an event that your
// company publishes itself is what it published, which need not be a record.`

/** The fields that `previous` may show with their former values. Each field is optional. */
const formerFields = (
  { schema, family }: { readonly schema: ObjectSchema; readonly family: FamilyDescription },
  type: string,
): JsonSchema =>
  Object.fromEntries(
    Object.keys(family.fields)
      .filter((field) => type !== 'task.completed' || field === 'completed')
      .map((field) => [field, schema.properties[field]]),
  )

/** `deal.stage_changed` -> `DealStageChangedEvent`. */
const nameOf = (type: string): string => `${type.split(/[._]/).map(titleOf).join('')}Event`

/**
 * Writes a JSON Schema as a TypeScript type. It knows the keywords that the schemas of records use. Rules that TypeScript
 * cannot express, such as patterns, are left out. `$ref` is the name of a type.
 */
function typeOf(schema: JsonSchema): string {
  const { $ref, const: value, enum: values, anyOf, type } = schema
  if (typeof $ref === 'string') return $ref
  if (value !== undefined) return JSON.stringify(value)
  if (Array.isArray(values)) return values.map((one) => JSON.stringify(one)).join(' | ')
  if (Array.isArray(anyOf)) return anyOf.map((one: JsonSchema) => typeOf(one)).join(' | ')
  const types = Array.isArray(type) ? (type as string[]) : [type as string]
  return types
    .map((name) => (name === 'object' ? objectType(schema) : (NAMES[name] ?? 'unknown')))
    .join(' | ')
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

function objectType({ properties, required = [] }: JsonSchema): string {
  if (properties === undefined) return 'Record<string, unknown>'
  const fields = Object.entries(properties as Record<string, JsonSchema>).map(([name, field]) => {
    const mark = (required as string[]).includes(name) ? '' : '?'
    return `  ${name}${mark}: ${typeOf(field).replaceAll('\n', '\n  ')}`
  })
  return `{\n${fields.join('\n')}\n}`
}
