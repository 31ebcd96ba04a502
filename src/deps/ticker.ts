/**
 * Runs work by the clock, one run at a time. A tick during a run is left out, so that runs cannot pile up while something
 * that they wait for hangs.
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
