import { NO_STEPS, type StepTimes } from '../domain/delivery/delivery.ts'

/**
 * `signal` aborts when the time is over, or when the outer signal aborts. `elapsedMs` returns the whole milliseconds since
 * the start. `clear` frees the timer.
 */
export type Deadline = {
  readonly signal: AbortSignal
  readonly elapsedMs: () => number
  readonly clear: () => void
}

/**
 * Starts a deadline of `durationMs` milliseconds; an outer signal may end it earlier. When Node is late, it runs timers
 * before it reads its sockets. So the abort waits until Node has read the sockets. Otherwise a busy process would miss
 * an answer that came in time.
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

/** Waits for the work. If the signal aborts first, rejects with the signal's reason; the work itself goes on. */
export async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(signal.reason as Error)
    signal.addEventListener('abort', expire)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', expire))
    if (signal.aborted) expire()
  })
}

type Step = keyof StepTimes

/**
 * Measures the steps of one attempt. If a new connection replaces a kept one that is dead, these are the times of the
 * new connection. Only that one was opened for this attempt.
 */
export class StepClock {
  readonly #times: { -readonly [step in Step]: StepTimes[step] } = { ...NO_STEPS }
  #sentAtMs = 0

  /** Runs a step and measures its time, even if the step fails. */
  async measure<T>(step: Exclude<Step, 'firstByteMs'>, work: () => Promise<T>): Promise<T> {
    const startedAtMs = performance.now()
    try {
      return await work()
    } finally {
      this.#times[step] = sinceMs(startedAtMs)
    }
  }

  /** Call it when the request is sent. */
  sent(): void {
    this.#sentAtMs = performance.now()
  }

  /** Call it when the first byte of an answer has come. */
  answered(): void {
    this.#times.firstByteMs = sinceMs(this.#sentAtMs)
  }

  read(): StepTimes {
    return { ...this.#times }
  }
}

const sinceMs = (startedAtMs: number): number => Math.round(performance.now() - startedAtMs)
