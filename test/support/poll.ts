/** The pause between two reads grows with the wait: whoever waits for long leaves the processors to others. */
const FIRST_PAUSE_MS = 30
const LONGEST_PAUSE_MS = 250
const GROWTH = 0.15

/** How long to wait, and what for: an error names it. */
export type PollOptions = { readonly withinMs?: number; readonly what?: string }
type Read<T> = () => Promise<T> | T

/**
 * Reads again and again until the value is as wanted; for states that nothing announces.
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

/** Asks again and again until it is so. */
export const untilSo = (isSo: Read<boolean>, options?: PollOptions) => until(isSo, Boolean, options)

/** Reads again and again until the value is the wanted one. */
export const untilIs = <T extends string | number | boolean | null | undefined>(
  read: Read<T>,
  wanted: NoInfer<T>,
  options?: PollOptions,
): Promise<T> => until(read, (value) => value === wanted, options)

/** Reads again and again until the number is no less. */
export const untilAtLeast = (read: Read<number>, least: number, options?: PollOptions): Promise<number> =>
  until(read, (value) => value >= least, options)

/** Reads again and again until there are so many. */
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

/** Reads again and again until the text has the part. */
export const untilIncludes = (read: () => string, part: string, options?: PollOptions): Promise<string> =>
  until(read, (text) => text.includes(part), options)
