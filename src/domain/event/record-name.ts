/** Names are read from bodies up to this size, so that a list of a hundred parses 1.6 MB at most. */
export const NAMED_BODY_BYTES = 16 * 1024

/** A longer name is cut, in characters. */
const LONGEST_NAME = 200

/** Where `data` may name its record: all records of ours have a name but activities, which have a subject. */
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
  // No character has more than two units, so the first 200 characters are among 400 of them.
  return name === undefined
    ? null
    : // Stryker disable next-line MethodExpression: the rest would be cut below, and only takes time
      Array.from(name.slice(0, 2 * LONGEST_NAME))
        .slice(0, LONGEST_NAME)
        .join('')
}

/** Empty where the body has none or cannot be read: a list is not refused for the name of one record. */
function dataOf(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const envelope = JSON.parse(body.toString()) as { readonly data?: unknown } | null
    return Object(envelope?.data) as Record<string, unknown>
  } catch {
    return {}
  }
}

const isName = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
