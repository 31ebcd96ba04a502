/**
 * Runs work at an interval, one run at a time. A tick during a run is skipped, so that runs cannot pile up while one of
 * them hangs.
 *
 * @param run handles its own errors
 * @returns a function that ends the ticks and waits for the run under way
 */
export function startTicker(intervalMs: number, run: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | undefined
  const timer = setInterval(() => {
    underWay ??= run().finally(() => (underWay = undefined))
  }, intervalMs)
  return async () => {
    clearInterval(timer)
    await underWay
  }
}
