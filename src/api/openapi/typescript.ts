import type { JsonSchema } from './json-schema.ts'

/**
 * Writes a JSON Schema as a TypeScript type. It knows the keywords that the schemas of records use; a rule that TypeScript
 * cannot say, such as a pattern, is left out. `$ref` is the name of a type.
 */
export function typeOf(schema: JsonSchema): string {
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
