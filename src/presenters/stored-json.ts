import { randomUUID } from 'node:crypto'

/** Replaces stored bytes while the rest is serialised. It never leaves the process, so a client cannot send it. */
const MARK = randomUUID()

/** The stored JSON that the current serialisation has met, in order. Serialisation is synchronous, so one list is enough. */
let found: (readonly Buffer[])[] | undefined

/**
 * JSON that was stored as bytes and is sent unchanged. To parse and write a list of large events again would block the
 * process for half a second. JSON.stringify gives the same result as `toJson`, but more slowly.
 */
export class StoredJson {
  readonly #parts: readonly Buffer[]

  /** @param parts the bytes, which may be given in several pieces */
  constructor(...parts: readonly Buffer[]) {
    this.#parts = parts
  }

  toJSON(): unknown {
    if (!found) return JSON.parse(Buffer.concat(this.#parts).toString('utf8'))
    found.push(this.#parts)
    return MARK
  }
}

/** Serialises like JSON.stringify, but takes the bytes of stored JSON as they are. */
export const toJson = (value: unknown): Buffer => Buffer.concat(partsOf(value))

/** The bytes of the JSON in pieces. The bytes of stored JSON are not copied. */
function partsOf(value: unknown): Buffer[] {
  const stored: (readonly Buffer[])[] = []
  found = stored
  try {
    const between = JSON.stringify(value).split(`"${MARK}"`)
    return between.flatMap((text, n) => [Buffer.from(text), ...(stored[n] ?? [])])
  } finally {
    found = undefined
  }
}

/** A list of a presenter: its items, and the other keys of the answer. */
type List = { readonly data: readonly unknown[] }

const isList = (value: unknown): value is List => Array.isArray((value as Partial<List> | null)?.data)

/** The bytes of a slice. To serialise or copy them takes a few milliseconds at most. */
const SLICE_BYTES = 1024 * 1024

/** Like `toJson`, for answers of any size. It serialises a list item by item, and other requests are served between slices. */
export async function toJsonInSlices(value: unknown): Promise<Buffer> {
  if (!isList(value)) return toJson(value)
  const { data, ...rest } = value
  const slices = new Slices()
  const parts: Buffer[] = [Buffer.from('{"data":[')]
  for (const [index, item] of data.entries()) {
    const itemParts = partsOf(item)
    if (index > 0) parts.push(COMMA)
    parts.push(...itemParts)
    await slices.add(sizeOf(itemParts))
  }
  const others = toJson(rest).subarray(1)
  parts.push(Buffer.from(Object.keys(rest).length > 0 ? '],' : ']'), others)
  return join(parts, slices)
}

const COMMA = Buffer.from(',')

async function join(parts: readonly Buffer[], slices: Slices): Promise<Buffer> {
  const whole = Buffer.allocUnsafe(sizeOf(parts))
  let at = 0
  for (const part of parts) {
    at += part.copy(whole, at)
    await slices.add(part.length)
  }
  return whole
}

const sizeOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0)

/** Counts the bytes of the current slice. If it is full, other requests are served first. */
class Slices {
  #bytes = 0

  async add(bytes: number): Promise<void> {
    this.#bytes += bytes
    if (this.#bytes < SLICE_BYTES) return
    this.#bytes = 0
    await new Promise((resolve) => setImmediate(resolve))
  }
}
