/** The webhook that a slot is for, and its company. */
export type SlotHolder = { readonly companyId: string; readonly webhookId: string }

/** Weight of the latest attempt in the moving average. */
const LATEST_WEIGHT = 0.3

/**
 * Counts the slots of a webhook, a company or the process: taken by attempts, or reserved for attempts that are about to
 * come. It keeps numbers only, so every method takes the same time, however many slots are used.
 */
export class SlotPool {
  readonly #limit: () => number
  #taken = 0
  #reserved = 0
  /** How long an attempt uses its slot, as a moving average. */
  #usedMs: number | undefined

  /** @param limit slots at this moment; it may change at any time */
  constructor(limit: () => number) {
    this.#limit = limit
  }

  /** Slots that attempts use now. */
  get taken(): number {
    return this.#taken
  }

  /** Slots that are taken or reserved. */
  get used(): number {
    return this.#taken + this.#reserved
  }

  /** Slots that are neither taken nor reserved. */
  get free(): number {
    return Math.max(0, this.#limit() - this.used)
  }

  /** Whether a slot is free, with `extra` slots in addition to the limit. */
  hasRoom(extra = 0): boolean {
    return this.used < this.#limit() + extra
  }

  /** Takes a slot for an attempt. The caller has checked that there is one. */
  take(): void {
    this.#taken += 1
  }

  /** Returns the slot of an attempt. @param usedMs how long the attempt used it, in milliseconds */
  giveBack(usedMs: number): void {
    this.#taken -= 1
    const before = this.#usedMs ?? usedMs
    this.#usedMs = before + LATEST_WEIGHT * (usedMs - before)
  }

  /** Reserves a slot. The reservation may exceed the limit. */
  reserve(): void {
    this.#reserved += 1
  }

  /** Ends a reservation: its attempt came, or will not come. */
  unreserve(): void {
    this.#reserved -= 1
  }

  /** Average time between two slots that become free, in milliseconds; undefined until the first one did. */
  intervalMs(): number | undefined {
    if (this.#usedMs === undefined) return undefined
    return Math.max(this.#usedMs, 1) / Math.max(this.#limit(), 1)
  }
}
