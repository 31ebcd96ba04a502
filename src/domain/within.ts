/**
 * Waits for the work, but at most for `limitMs`, and clears its timer. If the work takes longer, it goes on, and its
 * error is lost.
 *
 * @param late called if the work is not done in time; it returns the result or throws
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
