/**
 * Reads again and again until the value is as wanted; for states that nothing announces.
 *
 * @throws Error with the last value when the time is over
 */
export async function until<T>(
  read: () => Promise<T> | T,
  isWanted: (value: T) => boolean,
  { withinMs = 15_000, what = 'the wanted state' } = {},
): Promise<T> {
  const endMs = Date.now() + withinMs
  for (;;) {
    const value = await read()
    if (isWanted(value)) return value
    if (Date.now() > endMs) throw new Error(`${what} did not come; last seen: ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
