/** Values of at most this many bytes are read together with the rows of the page. So an ordinary page costs one query. */
export const INLINE_BYTES = 4 * 1024

/**
 * One query for larger values reads about this many bytes. While the process receives them, other requests wait for
 * about a millisecond.
 */
const SLICE_BYTES = 256 * 1024

/** Called with the size of a page, in bytes, before its values are read. Waits for room in memory. @throws if there is none */
export type MakeRoom = (bytes: number) => Promise<void>

export const unlimitedRoom: MakeRoom = () => Promise.resolve()

/** A row of a page, with the size of its value. */
export type SizedRow = { readonly id: string; readonly bytes: number }

/**
 * Reads the values of a page that were not read with its rows. It reads slices of about 256 KiB one after the other, so
 * that other requests are served in between. A row that was deleted after the page was read is missing in the result.
 *
 * @param read reads the values of the rows with these ids
 */
export async function readLargeValues<Value extends { readonly id: string }>(
  rows: readonly SizedRow[],
  makeRoom: MakeRoom,
  read: (ids: readonly string[]) => Promise<Value[]>,
): Promise<ReadonlyMap<string, Value>> {
  await makeRoom(rows.reduce((sum, { bytes }) => sum + bytes, 0))
  const values = new Map<string, Value>()
  for (const ids of slicesOf(rows.filter(({ bytes }) => bytes > INLINE_BYTES))) {
    for (const value of await read(ids)) values.set(value.id, value)
  }
  return values
}

function slicesOf(rows: readonly SizedRow[]): string[][] {
  const slices: string[][] = []
  let room = 0
  for (const { id, bytes } of rows) {
    if (bytes > room) {
      slices.push([])
      room = SLICE_BYTES
    }
    slices.at(-1)?.push(id)
    room -= bytes
  }
  return slices
}
