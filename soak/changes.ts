import { kindOf } from './endpoints.mjs'
import { EVENT_TYPES } from './publishes.mjs'
import { SoakWebhook } from './webhooks.mjs'

/**
 * @typedef {object} Parts
 * @property {import('./client.mjs').SoakClient} client
 * @property {import('./ledger.mjs').Ledger} ledger
 * @property {import('./webhooks.mjs').SoakWebhooks} webhooks
 * @property {import('./record.mjs').ReceiverRecord} record
 * @property {import('./endpoints.mjs').Endpoints} endpoints
 * @property {import('./random.mjs').SeededRandom} random
 */

const PATH = '/api-v1-webhooks'
const MOST_TYPES = 2
/** Webhooks that may be inactive at a time. */
const MOST_INACTIVE = 3

/** The owner of the webhooks: creates, changes and deletes them. */
export class WebhookOwner {
  #parts

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts
  }

  /** @param {import('./endpoints.mjs').EndpointKind} [kind] of its endpoint */
  async create(kind = kindOf(this.#parts.webhooks.all.length)) {
    const { client, ledger, webhooks, record, endpoints, random } = this.#parts
    const path = `/w${webhooks.all.length}`
    const types = random.shuffled(EVENT_TYPES).slice(0, random.integer(1, MOST_TYPES))
    const webhook = new SoakWebhook({ path, kind, types, url: endpoints.add(path, kind) })
    webhooks.all.push(webhook)
    webhook.become('unknown')
    const body = { name: path, url: webhook.url, events: types }
    const answer = await client.call('POST', PATH, { body, mode: 'keyed' })
    if (answer.status === 0) webhook.missSecret()
    if (!ledger.note('create', answer, { good: [201] })) return
    webhook.id = answer.data.id
    record.learn(path, answer.data.secret)
    webhook.become('active')
  }

  /** Deletes a webhook and creates another one, whose endpoint is of the same kind. */
  replace = () =>
    this.#change(['active', 'inactive'], async (webhook) => {
      // 404: an earlier try had deleted it.
      const isDeleted = await this.#set(webhook, 'deleted', { method: 'DELETE', good: [200, 404] })
      if (isDeleted) await this.create(webhook.kind)
    })

  /** Activates an inactive webhook, or deactivates an active one. */
  toggle() {
    const inactive = this.#parts.webhooks.all.filter(({ state }) => state === 'inactive').length
    const isActive = this.#parts.random.isHit(inactive / MOST_INACTIVE)
    return this.#change([isActive ? 'inactive' : 'active'], (webhook) =>
      this.#set(webhook, isActive ? 'active' : 'inactive', {
        method: 'PATCH',
        body: { is_active: isActive },
        good: [200],
      }),
    )
  }

  regenerate = () =>
    this.#change(['active', 'inactive'], async (webhook) => {
      const { client, ledger, record } = this.#parts
      const path = `${PATH}/${webhook.id}/regenerate-secret`
      const answer = await client.call('POST', path, { mode: 'keyed' })
      if (answer.status === 0) webhook.missSecret()
      if (ledger.note('regenerate', answer, { good: [200] })) record.learn(webhook.path, answer.data.secret)
    })

  /** @param {import('./webhooks.mjs').State[]} states @param {(webhook: SoakWebhook) => Promise<unknown>} change */
  async #change(states, change) {
    const webhook = this.#parts.webhooks.pick(this.#parts.random, { states })
    if (!webhook) return
    webhook.isBusy = true
    await change(webhook)
    webhook.isBusy = false
  }

  /**
   * Brings a webhook into a state by a call that may be repeated.
   *
   * @param {SoakWebhook} webhook
   * @param {import('./webhooks.mjs').KnownState} state
   * @param {{ method: string, body?: unknown, good: number[] }} call
   * @returns {Promise<boolean>} whether it was answered with success
   */
  async #set(webhook, state, { method, body, good }) {
    const { client, ledger } = this.#parts
    webhook.become('unknown')
    const answer = await client.call(method, `${PATH}/${webhook.id}`, { body, mode: 'repeated' })
    const isDone = ledger.note(`make ${state}`, answer, { good })
    if (isDone) webhook.become(state)
    return isDone
  }
}
