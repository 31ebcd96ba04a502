import { NO_STEPS, type StepTimes } from '../domain/delivery/delivery.ts'

type Step = keyof StepTimes

/**
 * Measures the steps of one attempt. If a new connection replaces a dead kept one, these are the times of the new one,
 * because only there the steps were made.
 */
export class StepClock {
  readonly #times: { -readonly [step in Step]: StepTimes[step] } = { ...NO_STEPS }
  #sentAtMs = 0

  /** Runs a step and measures it, up to its failure if it fails. */
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
