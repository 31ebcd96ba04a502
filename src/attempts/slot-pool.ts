/** The webhook that a slot is for, and its company. */
export type SlotHolder = { readonly companyId: string; readonly webhookId: string }

/**
 * Counts the slots of a webhook, a company or the process: taken by attempts, or reserved for attempts that are about to
 * come. It keeps numbers only, so every method takes the same time, however many slots are used.
 */
export class SlotPool {
  readonly #limit: () => number
  #taken = 0
  #reserved = 0

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

  /** Gives back the slot of an attempt. */
  giveBack(): void {
    this.#taken -= 1
  }

  /** Reserves a slot. The reservation may exceed the limit. */
  reserve(): void {
    this.#reserved += 1
  }

  /** Ends a reservation: its attempt came, or will not come. */
  unreserve(): void {
    this.#reserved -= 1
  }
}
