/**
 * The idempotency key of a form. A repeat with the same body uses the same key, so a double click or a lost answer creates
 * nothing twice. A changed body gets a new key, because the api refuses a known key with another body.
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

  /** Call it when the api accepted the form. The next submission gets a new key, even with the same body. */
  renew(): void {
    this.#id = this.#newId()
    this.#body = undefined
  }
}
