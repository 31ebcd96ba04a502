import { setTimeout as delay } from 'node:timers/promises'
import { setLatest } from '../domain/buffers.ts'
import type { AttemptReport } from '../domain/delivery/view.ts'

/** The assumed average time of a delivery until the first measurement. */
const FIRST_MS = 50
/**
 * The weight of the old average when a new delivery is measured. At 0.9, about the latest 10 deliveries determine the average.
 */
const KEPT = 0.9
/**
 * The time between two turns, as a multiple of the time that Temporal needs for one delivery. At 3, recoveries use a
 * third of the rate that Temporal reaches with one delivery at a time. Half of that rate was too much on machines where
 * Temporal shares its cores with the database and the workers (docs/decisions, The pace of recoveries).
 */
const TURN_EVERY = 3
/** The longest time between two turns, however slow Temporal is. It keeps the rounds of a recovery short. */
const LONGEST_INTERVAL_MS = 500
/**
 * This worker remembers at most this many starts. It forgets a start when the delivery reaches the gate. A delivery
 * that another worker gets never reaches the gate here, so the oldest starts are also forgotten.
 */
const MOST_STARTED = 1_000

type Clock = { readonly nowMs: () => number; readonly pause: (ms: number) => Promise<unknown> }

/**
 * Recoveries queue deliveries that Temporal must start. This class sets their pace in this process. It measures how
 * long Temporal takes with a delivery, from the relay's call to the attempt, without the endpoint's time.
 */
export class TemporalPace {
  readonly #clock: Clock
  readonly #startedMs = new Map<string, number>()
  #deliveryMs = FIRST_MS
  #nextTurnMs = -Infinity

  constructor(clock: Clock = { nowMs: () => performance.now(), pause: delay }) {
    this.#clock = clock
  }

  /** Call it when the relay asks Temporal to start the workflow of a delivery. */
  started(deliveryId: string): void {
    setLatest(this.#startedMs, deliveryId, this.#clock.nowMs(), MOST_STARTED)
  }

  /** Call it when the delivery's workflow begins an attempt. */
  reached(deliveryId: string): void {
    const startedMs = this.#startedMs.get(deliveryId)
    if (startedMs === undefined) return
    this.#startedMs.delete(deliveryId)
    this.#deliveryMs = KEPT * this.#deliveryMs + (1 - KEPT) * (this.#clock.nowMs() - startedMs)
  }

  /** Waits until a recovery may queue one more delivery. Callers get their turns in the order of their calls. */
  async turn(): Promise<void> {
    const nowMs = this.#clock.nowMs()
    const turnMs = Math.max(nowMs, this.#nextTurnMs)
    this.#nextTurnMs = turnMs + Math.min(TURN_EVERY * this.#deliveryMs, LONGEST_INTERVAL_MS)
    if (turnMs > nowMs) await this.#clock.pause(turnMs - nowMs)
  }
}

/**
 * At most this many first attempts keep the tasks of their workflows open. For each attempt, this worker tells Temporal
 * every 8 s that the task goes on. One message takes Temporal about 20 ms. Temporal gives up a task after 10 s without
 * a message. With many more attempts, some messages would come too late.
 */
const MOST_AT_ONCE = 40

/** The first attempts that this process makes within the tasks of their workflows. Each attempt keeps its task open. */
export class LocalAttempts {
  readonly #underWay = new Map<string, Promise<AttemptReport>>()

  /** Whether the next first attempt has to be an ordinary activity. */
  isFull(): boolean {
    return this.#underWay.size >= MOST_AT_ONCE
  }

  /**
   * Makes the delivery's attempt. If that attempt is under way already, waits for it: Temporal may repeat a task while
   * the attempt goes on.
   */
  make(deliveryId: string, attempt: () => Promise<AttemptReport>): Promise<AttemptReport> {
    const known = this.#underWay.get(deliveryId)
    if (known) return known
    const underWay = attempt().finally(() => this.#underWay.delete(deliveryId))
    this.#underWay.set(deliveryId, underWay)
    return underWay
  }
}
