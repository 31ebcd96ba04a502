import type { SoakClient } from './client.ts'
import { kindOf, type EndpointKind, type Endpoints } from './endpoints.ts'
import type { Ledger } from './ledger.ts'
import { TYPES } from './publishes.ts'
import type { SeededRandom } from './random.ts'
import type { ReceiverRecord } from './record.ts'
import { SoakWebhook, type KnownState, type SoakWebhooks, type State } from './webhooks.ts'

/** What those who call the api share. */
export type Parts = {
  readonly client: SoakClient
  readonly ledger: Ledger
  readonly webhooks: SoakWebhooks
  readonly record: ReceiverRecord
  readonly endpoints: Endpoints
  readonly random: SeededRandom
}

/** Where webhooks are in the api. */
export const PATH = '/api-v1-webhooks'
const MOST_TYPES = 2
/** Webhooks that may be inactive at a time. */
const MOST_INACTIVE = 3

/** The owner of the webhooks: creates, changes and deletes them. */
export class WebhookOwner {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** @param kind of its endpoint */
  async create(kind: EndpointKind = kindOf(this.#parts.webhooks.all.length)) {
    const { client, webhooks, endpoints, random } = this.#parts
    const path = `/w${webhooks.all.length}`
    const types = random.shuffled(TYPES).slice(0, random.integer(1, MOST_TYPES))
    const webhook = new SoakWebhook({ path, kind, types, url: endpoints.add(path, kind) })
    webhooks.all.push(webhook)
    webhook.become('unknown')
    const body = { name: path, url: webhook.url, events: types }
    const call = () => client.call('POST', PATH, { body, mode: 'keyed' })
    const created = await this.#getSecret('create', webhook, { call, good: [201] })
    if (!created) return
    webhook.id = created.id
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
  toggle = () => {
    const inactive = this.#parts.webhooks.all.filter(({ state }) => state === 'inactive').length
    const isActive = this.#parts.random.isHit(inactive / MOST_INACTIVE)
    const call = { method: 'PATCH', body: { is_active: isActive }, good: [200] }
    return this.#change([isActive ? 'inactive' : 'active'], (webhook) =>
      this.#set(webhook, isActive ? 'active' : 'inactive', call),
    )
  }

  regenerate = () =>
    this.#change(['active', 'inactive'], (webhook) => {
      const path = `${PATH}/${webhook.id}/regenerate-secret`
      const call = () => this.#parts.client.call('POST', path, { mode: 'keyed' })
      return this.#getSecret('regenerate', webhook, { call, good: [200] })
    })

  async #change(states: readonly State[], change: (webhook: SoakWebhook) => Promise<unknown>) {
    const webhook = this.#parts.webhooks.pick(this.#parts.random, { states })
    if (!webhook) return
    webhook.isBusy = true
    await change(webhook)
    webhook.isBusy = false
  }

  /** Makes a call whose answer shows a new secret, once. @returns what was answered with success */
  async #getSecret(
    name: string,
    webhook: SoakWebhook,
    { call, good }: { call: () => ReturnType<SoakClient['call']>; good: readonly number[] },
  ): Promise<{ id: string } | undefined> {
    const answer = await call()
    if (answer.status === 0) webhook.hasUnknownSecret = true
    if (!this.#parts.ledger.note(name, answer, { good })) return undefined
    const data = answer.data as { id: string; secret: string }
    this.#parts.record.learn(webhook.path, data.secret)
    return data
  }

  /** Brings a webhook into a state by a call that may be repeated. @returns whether it was answered with success */
  async #set(
    webhook: SoakWebhook,
    state: KnownState,
    { method, body, good }: { method: string; body?: unknown; good: readonly number[] },
  ): Promise<boolean> {
    const { client, ledger } = this.#parts
    webhook.become('unknown')
    const answer = await client.call(method, `${PATH}/${webhook.id}`, { body, mode: 'repeated' })
    const isDone = ledger.note(`make ${state}`, answer, { good })
    if (isDone) webhook.become(state)
    return isDone
  }
}
