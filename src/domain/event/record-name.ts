/** Names are read from bodies up to this size, so that a list of a hundred parses 1.6 MB at most. */
export const NAMED_BODY_BYTES = 16 * 1024

/** A longer name is cut, in characters. */
const LONGEST_NAME = 200

/** Fields of `data` that may name its record. Our own records have a `name`, but activities a `subject`. */
const NAME_FIELDS = ['name', 'title', 'subject'] as const

/**
 * What people call the record that an event is about, from the body as it is stored.
 *
 * @param body null where it was not read, or is gone
 * @returns null where no field of the data names the record, and for a body above NAMED_BODY_BYTES
 */
export function recordNameOf(body: Buffer | null): string | null {
  if (body === null || body.length > NAMED_BODY_BYTES) return null
  const data = dataOf(body)
  const name = NAME_FIELDS.map((field) => data[field]).find(isName)
  // A character has at most two UTF-16 units, so the first 200 characters lie within the first 400 units.
  return name === undefined
    ? null
    : // Stryker disable next-line MethodExpression: the rest would be cut below, and only takes time
      Array.from(name.slice(0, 2 * LONGEST_NAME))
        .slice(0, LONGEST_NAME)
        .join('')
}

/** Empty if the body has no `data` or is no JSON: a list must not fail because of the name of one record. */
function dataOf(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const envelope = JSON.parse(body.toString()) as { readonly data?: unknown } | null
    return Object(envelope?.data) as Record<string, unknown>
  } catch {
    return {}
  }
}

const isName = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
