/**
 * `signal` aborts when the time is over, or when the outer signal aborts. `elapsedMs` gives the whole milliseconds since
 * the start. `clear` frees the timer.
 */
export type Deadline = {
  readonly signal: AbortSignal
  readonly elapsedMs: () => number
  readonly clear: () => void
}

/**
 * Starts a deadline of `durationMs` milliseconds; an outer signal may end it earlier. Node runs late timers before it
 * reads its sockets. So the abort waits until the sockets are read, because a busy process must not miss an answer that
 * came in time.
 */
export function startDeadline(durationMs: number, outer?: AbortSignal): Deadline {
  const startedAtMs = performance.now()
  const controller = new AbortController()
  const expire = () => controller.abort(new Error('The time of the attempt is over.'))
  let afterReading: NodeJS.Immediate | undefined
  const timer = setTimeout(() => (afterReading = setImmediate(expire)), durationMs)
  outer?.addEventListener('abort', expire)
  if (outer?.aborted) expire()
  return {
    signal: controller.signal,
    elapsedMs: () => Math.round(performance.now() - startedAtMs),
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
