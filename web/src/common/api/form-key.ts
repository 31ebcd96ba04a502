/**
 * The idempotency key of a form. A repeat of the same body keeps it, so a double click or a lost answer does nothing twice.
 * Another body gets another key, because the api refuses a known key with another body.
 */
export class FormKey {
  readonly #newId: () => string
  #id: string
  #body: string | undefined

  /** @param newId gives a different text each time */
  constructor(newId: () => string = () => crypto.randomUUID()) {
    this.#newId = newId
    this.#id = newId()
  }

  /** The key to send with this body. */
  for(body: unknown): string {
    const text = JSON.stringify(body)
    if (this.#body !== undefined && this.#body !== text) this.#id = this.#newId()
    this.#body = text
    return this.#id
  }

  /** The form was accepted: what is sent next is something new, even with the same body. */
  renew(): void {
    this.#id = this.#newId()
    this.#body = undefined
  }
}
