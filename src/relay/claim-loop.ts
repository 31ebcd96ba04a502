import { setTimeout as delay } from 'node:timers/promises'
import { doublingPause } from '../domain/doubling.ts'

/** How long the loop rests, in milliseconds. */
const RESTS = {
  /** How long it rests if a round found work, or a ring came, within the last `idleAfterMs`. */
  pollMs: 50,
  /** How long it rests otherwise: 4 rounds a second in place of 20. */
  idlePollMs: 250,
  idleAfterMs: 2_000,
  /**
   * The shortest rest after a round that claimed nothing. It matters while no slot is free: without this rest, hundreds
   * of rings a second would start useless rounds.
   */
  shortestMs: 5,
  /** The longest rest after rounds that failed. */
  longestMs: 2_000,
}

/** `empty`: the round claimed nothing. `done`: it claimed all that it could. `more`: it left rows for lack of room. */
export type RoundResult = 'empty' | 'done' | 'more'

type Parts = {
  /** Claims rows and begins their work. */
  readonly round: () => Promise<RoundResult>
  /** Called with the first error in a series of failed rounds. */
  readonly onFailure: (error: unknown) => void
  readonly rests?: Partial<typeof RESTS>
}

/**
 * Runs rounds, one at a time. After a round that left rows, the next round begins at once. After other rounds, it begins with
 * the next ring or poll. While nothing happens, the loop polls rarely, until a ring comes or a round claims a row.
 */
export class ClaimLoop {
  readonly #parts: Parts
  readonly #rests: typeof RESTS
  #running: Promise<void> | undefined
  #isStopped = false
  #isRung = false
  #wake: () => void = () => undefined
  #busyAtMs = performance.now()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#rests = { ...RESTS, ...parts.rests }
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Begins the next round at once, or after the current round. */
  ring(): void {
    this.#busyAtMs = performance.now()
    this.#isRung = true
    this.#wake()
  }

  /** Begins no more rounds. Resolves when the current round is over. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#wake()
    await this.#running
  }

  async #run(): Promise<void> {
    const { pollMs, longestMs } = this.#rests
    let failures = 0
    while (!this.#isStopped) {
      try {
        this.#isRung = false
        const round = await this.#parts.round()
        failures = 0
        if (round !== 'empty') this.#busyAtMs = performance.now()
        if (round === 'done') await this.#rest(this.#pollMs())
        if (round === 'empty') await Promise.all([this.#rest(this.#pollMs()), delay(this.#rests.shortestMs)])
      } catch (error) {
        failures += 1
        if (failures === 1) this.#parts.onFailure(error)
        await this.#rest(doublingPause({ first: pollMs, longest: longestMs }, failures))
      }
    }
  }

  #pollMs(): number {
    const { pollMs, idlePollMs, idleAfterMs } = this.#rests
    return performance.now() - this.#busyAtMs < idleAfterMs ? pollMs : idlePollMs
  }

  /** Waits for the next ring, or until the time is over. If a ring came during the latest round, there is no wait. */
  #rest(durationMs: number): Promise<void> {
    if (this.#isRung || this.#isStopped) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, durationMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
