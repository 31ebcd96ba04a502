/**
 * Waits for the work, for this time at most, and clears its timer. Work that lasts longer goes on, and what it throws then is lost.
 *
 * @param late is called when the time is over first, and returns the result or throws
 */
export function within<T, Late>(
  limitMs: number,
  work: Promise<T>,
  late: () => Late | Promise<Late>,
): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  return Promise.race([work, over.then(late)]).finally(() => clearTimeout(timer))
}
