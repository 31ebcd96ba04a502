/** Names are read only from bodies of at most this size, so that a list of a hundred events parses at most 1.6 MB. */
export const NAMED_BODY_BYTES = 16 * 1024

/** The longest name, in characters. Longer names are cut. */
const LONGEST_NAME = 200

/** Fields of `data` that may name the record. Our own records have a `name`, except activities, which have a `subject`. */
const NAME_FIELDS = ['name', 'title', 'subject'] as const

/**
 * The name of the record that an event is about, read from the stored body.
 *
 * @param body null if it was not read, or no longer exists
 * @returns null if no field of the data names the record, or the body is larger than NAMED_BODY_BYTES
 */
export function recordNameOf(body: Buffer | null): string | null {
  if (body === null || body.length > NAMED_BODY_BYTES) return null
  const data = dataOf(body)
  const name = NAME_FIELDS.map((field) => data[field]).find(isName)
  // A character has at most two UTF-16 units. So the first 200 characters lie within the first 400 units.
  return name === undefined
    ? null
    : // Stryker disable next-line MethodExpression: the text is cut again below, so this slice only saves time
      Array.from(name.slice(0, 2 * LONGEST_NAME))
        .slice(0, LONGEST_NAME)
        .join('')
}

/** Empty if the body has no `data` or is not JSON, so that one name cannot make a whole list fail. */
function dataOf(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const envelope = JSON.parse(body.toString()) as { readonly data?: unknown } | null
    return Object(envelope?.data) as Record<string, unknown>
  } catch {
    return {}
  }
}

const isName = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
