import { NO_STEPS, type StepTimes } from '../domain/delivery/step-times.ts'

type Step = keyof StepTimes

/**
 * Measures the steps of one attempt. An attempt that replaces a dead connection keeps the times of the new one: on the
 * kept one none of its steps was made.
 */
export class StepClock {
  readonly #times: { -readonly [step in Step]: StepTimes[step] } = { ...NO_STEPS }
  #sentAtMs = 0

  /** Makes a step. One that fails is measured up to its failure. */
  async measure<T>(step: Exclude<Step, 'firstByteMs'>, work: () => Promise<T>): Promise<T> {
    const startedAtMs = performance.now()
    try {
      return await work()
    } finally {
      this.#times[step] = sinceMs(startedAtMs)
    }
  }

  /** The request goes out now. */
  sent(): void {
    this.#sentAtMs = performance.now()
  }

  /** The first byte of an answer is there. */
  answered(): void {
    this.#times.firstByteMs = sinceMs(this.#sentAtMs)
  }

  read(): StepTimes {
    return { ...this.#times }
  }
}

const sinceMs = (startedAtMs: number): number => Math.round(performance.now() - startedAtMs)
