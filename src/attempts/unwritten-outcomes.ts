import type { MadeAttempt } from '../domain/delivery/outcome.ts'

/**
 * With this many kept outcomes nothing is sent any more. A few may belong to rows that cannot be written, and must not stop
 * all other deliveries. Many mean that the database takes heartbeats but no outcomes, so no attempt could be recorded.
 */
const KEPT_LIMIT = 50

/** The outcomes that are not committed yet, by delivery. Once no caller waits for one any more, it is kept. */
export class UnwrittenOutcomes {
  readonly #made = new Map<string, MadeAttempt>()
  readonly #kept = new Set<string>()

  add(made: MadeAttempt): void {
    this.#made.set(made.deliveryId, made)
  }

  find(deliveryId: string): MadeAttempt | undefined {
    return this.#made.get(deliveryId)
  }

  keep(deliveryId: string): void {
    this.#kept.add(deliveryId)
  }

  /** Forgets an outcome that is committed. */
  written(deliveryId: string): void {
    this.#made.delete(deliveryId)
    this.#kept.delete(deliveryId)
  }

  kept(): MadeAttempt[] {
    return [...this.#kept].flatMap((id) => this.#made.get(id) ?? [])
  }

  /** Whether the store is full, so that nothing may be sent. */
  isFull(): boolean {
    return this.#kept.size >= KEPT_LIMIT
  }
}
