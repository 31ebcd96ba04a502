import Joi from 'joi'

export type JsonSchema = Record<string, unknown>

type Branch = { readonly schema?: Description; readonly then?: Description; readonly otherwise?: Description }

type Meta = { readonly openapi?: JsonSchema; readonly jsonSchema?: JsonSchema }

/** The result of `schema.describe()`, as far as it is used here. */
type Description = {
  readonly flags?: {
    readonly id?: string
    readonly result?: string
    readonly presence?: string
    readonly description?: string
  }
  readonly metas?: readonly Meta[]
  readonly keys?: Readonly<Record<string, Description>>
  readonly items?: readonly Description[]
  readonly matches?: readonly Branch[]
  readonly patterns?: readonly { readonly rule: Description }[]
}

/** Which side a schema describes: what the service accepts, or what it answers. */
type Side = 'request' | 'answer'

/**
 * Converts joi schemas to JSON Schema 2020-12, which OpenAPI 3.1 uses. joi writes most of it, and this class adds the rest.
 * A schema with an id becomes a component. `meta({ openapi })` replaces what joi writes for a schema. `meta({ jsonSchema
 * })` adds what only our own rules know; null removes a keyword. Schemas of requests are closed, because unknown fields are
 * refused. Ignored fields are shown as read-only. Schemas of answers are open, because later versions may add fields.
 */
export class SchemaWriter {
  /** The components found so far, by the ids of their joi schemas. */
  readonly components: Record<string, JsonSchema> = {}

  write(schema: Joi.Schema, side: Side): JsonSchema {
    return this.#reference(schema.describe(), side)
  }

  /** The keys of an object schema as query parameters. */
  writeParameters(query: Joi.ObjectSchema) {
    const { keys = {} } = query.describe() as Description
    return Object.entries(keys)
      .filter(isShown)
      .map(([name, key]) => {
        const { description, ...schema } = this.#reference(key, 'request')
        return {
          name,
          in: 'query',
          required: key.flags?.presence === 'required',
          // Several values stand in one parameter, separated by commas.
          ...(schema['type'] === 'array' && { style: 'form', explode: false }),
          ...(description !== undefined && { description }),
          schema,
        }
      })
  }

  #reference(node: Description, side: Side): JsonSchema {
    const id = node.flags?.id
    if (id === undefined) return this.#convert(node, side)
    this.components[id] ??= this.#convert(node, side)
    return { $ref: `#/components/schemas/${id}` }
  }

  #convert(node: Description, side: Side): JsonSchema {
    const override = node.metas?.find(({ openapi }) => openapi)?.openapi
    if (override) return override
    if (node.flags?.result === 'strip') return { description: node.flags.description, readOnly: true }
    const shell = shellOf(node)
    if (node.keys) shell['properties'] = this.#properties(node.keys, side)
    if (node.keys && side === 'answer') delete shell['additionalProperties']
    if (node.items?.[0]) shell['items'] = this.#reference(node.items[0], side)
    if (node.matches) shell['anyOf'] = this.#branches(node.matches, side)
    if (node.patterns?.[0]) {
      delete shell['patternProperties']
      shell['additionalProperties'] = this.#reference(node.patterns[0].rule, side)
    }
    // Where any object may stand, some generators make a type without properties if the schema does not say so.
    const isFree = !node.keys && !node.patterns && [shell['type']].flat().includes('object')
    if (isFree) shell['additionalProperties'] ??= true
    const added = Object.assign({}, ...(node.metas ?? []).map(({ jsonSchema }) => jsonSchema)) as JsonSchema
    return merge(shell, added)
  }

  #properties(keys: Readonly<Record<string, Description>>, side: Side): JsonSchema {
    const shown = Object.entries(keys).filter(isShown)
    return Object.fromEntries(shown.map(([name, key]) => [name, this.#reference(key, side)]))
  }

  #branches(matches: readonly Branch[], side: Side): JsonSchema[] {
    const branches = matches.flatMap(({ schema, then, otherwise }) => [schema, then, otherwise])
    return branches.filter((branch) => branch !== undefined).map((branch) => this.#reference(branch, side))
  }
}

/** A forbidden key stands in a schema only to give its refusal a message. */
const isShown = ([, key]: [string, Description]): boolean => key.flags?.presence !== 'forbidden'

/**
 * joi's own JSON Schema of a description, without the definitions that it repeats. The schemas below the node are
 * replaced by schemas for any value. The caller itself writes the real schemas below the node, because joi would build
 * the whole tree again for each node.
 */
function shellOf(node: Description): JsonSchema {
  const schema = Joi.build(withoutMetas(withAnythingBelow(node))) as Joi.Schema
  const written = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
  return Object.fromEntries(Object.entries(written).filter(([name]) => name !== '$defs'))
}

function withAnythingBelow(node: Description): unknown {
  const { keys, items, matches: _, patterns, ...rest } = node
  return {
    ...rest,
    ...(node.matches && { type: 'any' }),
    ...(keys && {
      keys: Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, anything(key)])),
    }),
    ...(items && { items: items.map(anything) }),
    ...(patterns && { patterns: patterns.map((pattern) => ({ ...pattern, rule: anything(pattern.rule) })) }),
  }
}

/** A schema for any value. It keeps only whether the key is required, because the list of required keys needs that. */
const anything = ({ flags }: Description): unknown => ({
  type: 'any',
  flags: flags?.presence ? { presence: flags.presence } : {},
})

/** Removes our own metas, because joi would mistake one with a `type` for a schema. */
function withoutMetas(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutMetas)
  if (typeof part !== 'object' || part === null || Object.getPrototypeOf(part) !== Object.prototype)
    return part
  const entries = Object.entries(part).filter(([name]) => name !== 'metas')
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutMetas(value)]))
}

/** Adds keywords. A keyword that is added as null is removed. */
const merge = (shell: JsonSchema, added: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries({ ...shell, ...added }).filter(([name]) => added[name] !== null))
