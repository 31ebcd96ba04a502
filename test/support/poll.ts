/** The pause between two reads grows with the wait, so a long wait leaves the processors to other programs. */
const FIRST_PAUSE_MS = 30
const LONGEST_PAUSE_MS = 250
const GROWTH = 0.15

/** How long to wait, and a name for the error message. */
export type PollOptions = { readonly withinMs?: number; readonly what?: string }
type Read<T> = () => Promise<T> | T

/**
 * Reads repeatedly until the value is as wanted. Use it for states that no event announces.
 *
 * @throws Error with the last value when the time is over
 */
export async function until<T>(
  read: Read<T>,
  isWanted: (value: T) => boolean,
  { withinMs = 15_000, what = 'the wanted state' }: PollOptions = {},
): Promise<T> {
  const startMs = Date.now()
  const endMs = startMs + withinMs
  for (;;) {
    const value = await read()
    if (isWanted(value)) return value
    if (Date.now() > endMs) throw new Error(`${what} did not come; last seen: ${JSON.stringify(value)}`)
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS + GROWTH * (Date.now() - startMs))
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** Reads repeatedly until the answer is true. */
export const untilSo = (isSo: Read<boolean>, options?: PollOptions) => until(isSo, Boolean, options)

/** Reads repeatedly until the value equals the wanted one. */
export const untilIs = <T extends string | number | boolean | null | undefined>(
  read: Read<T>,
  wanted: NoInfer<T>,
  options?: PollOptions,
): Promise<T> => until(read, (value) => value === wanted, options)

/** Reads repeatedly until the number is at least the wanted one. */
export const untilAtLeast = (read: Read<number>, least: number, options?: PollOptions): Promise<number> =>
  until(read, (value) => value >= least, options)

/** Reads repeatedly until the list has `count` items. */
export const untilThere = <T>(
  read: () => PromiseLike<readonly T[]>,
  count: number,
  options?: PollOptions,
): Promise<readonly T[]> =>
  until(
    async () => read(),
    ({ length }) => length === count,
    options,
  )

/** Reads repeatedly until the text contains the part. */
export const untilIncludes = (read: () => string, part: string, options?: PollOptions): Promise<string> =>
  until(read, (text) => text.includes(part), options)
