import Joi from 'joi'

export type JsonSchema = Record<string, unknown>

type Branch = { readonly schema?: Description; readonly then?: Description; readonly otherwise?: Description }

/** A key of an object schema. */
export type Key = { readonly name: string; readonly isRequired: boolean; readonly schema: JsonSchema }

/** What `schema.describe()` gives, as far as it is read here. */
type Description = {
  readonly flags?: { readonly id?: string; readonly result?: string; readonly presence?: string }
  readonly metas?: readonly { readonly openapi?: JsonSchema; readonly characters?: number }[]
  readonly keys?: Readonly<Record<string, Description>>
  readonly items?: readonly Description[]
  readonly matches?: readonly Branch[]
}

/**
 * Turns joi schemas into JSON Schema 2020-12, which OpenAPI 3.1 speaks. joi writes its own JSON Schema; what it does
 * not do is done here: a schema with an id becomes a component, stripped fields go, and `meta({ openapi })` replaces
 * what a text of the query looks like, and `meta({ characters })` is the longest text in characters, not in joi's units.
 */
export class SchemaWriter {
  /** The components found so far, by the ids of their joi schemas. */
  readonly components: Record<string, JsonSchema> = {}

  write(schema: Joi.Schema): JsonSchema {
    return this.#reference(schema.describe())
  }

  /** The keys of an object schema, for query parameters. */
  writeKeys(schema: Joi.ObjectSchema): Key[] {
    const { keys = {} } = schema.describe() as Description
    return Object.entries(keys).map(([name, key]) => ({
      name,
      isRequired: key.flags?.presence === 'required',
      schema: this.#reference(key),
    }))
  }

  #reference(node: Description): JsonSchema {
    const id = node.flags?.id
    if (id === undefined) return this.#convert(node)
    this.components[id] ??= this.#convert(node)
    return { $ref: `#/components/schemas/${id}` }
  }

  #convert(node: Description): JsonSchema {
    const override = node.metas?.find(({ openapi }) => openapi)?.openapi
    if (override) return override
    const shell = shellOf(node)
    const characters = node.metas?.find((meta) => meta.characters)?.characters
    if (characters !== undefined) shell['maxLength'] = characters
    if (node.keys) shell['properties'] = this.#properties(node.keys)
    if (node.items?.[0]) shell['items'] = this.#reference(node.items[0])
    if (node.matches) shell['anyOf'] = this.#branches(node.matches)
    return shell
  }

  #properties(keys: Readonly<Record<string, Description>>): JsonSchema {
    const shown = Object.entries(keys).filter(([, key]) => key.flags?.result !== 'strip')
    return Object.fromEntries(shown.map(([name, key]) => [name, this.#reference(key)]))
  }

  #branches(matches: readonly Branch[]): JsonSchema[] {
    const branches = matches.flatMap(({ schema, then, otherwise }) => [schema, then, otherwise])
    return branches.filter((branch) => branch !== undefined).map((branch) => this.#reference(branch))
  }
}

/** joi's own JSON Schema of a description, without the definitions that it repeats. */
function shellOf(node: Description): JsonSchema {
  const schema = Joi.build(node) as Joi.Schema
  const written = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
  return Object.fromEntries(Object.entries(written).filter(([name]) => name !== '$defs'))
}
