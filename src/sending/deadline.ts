/** Time that ends: the signal aborts after it or together with the outer signal; `clear` frees the timer. */
export type Deadline = { readonly signal: AbortSignal; readonly clear: () => void }

/**
 * Starts a deadline of `durationMs` milliseconds, shortened by an outer signal. What has arrived by then is read first:
 * Node runs late timers before it looks at its sockets, so that an answer which came in time would be missed whenever
 * this process was too busy to look.
 */
export function startDeadline(durationMs: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController()
  const expire = () => controller.abort(new Error('The time of the attempt is over.'))
  let afterReading: NodeJS.Immediate | undefined
  const timer = setTimeout(() => (afterReading = setImmediate(expire)), durationMs)
  outer?.addEventListener('abort', expire)
  if (outer?.aborted) expire()
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer)
      clearImmediate(afterReading)
      outer?.removeEventListener('abort', expire)
    },
  }
}

/** Waits for the work until the signal aborts, then rejects with the signal's reason; the work itself goes on. */
export async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(signal.reason as Error)
    signal.addEventListener('abort', expire)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', expire))
    if (signal.aborted) expire()
  })
}
