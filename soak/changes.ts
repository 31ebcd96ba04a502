import type { SoakClient } from './client.ts'
import { kindOf, type EndpointKind, type Endpoints } from './endpoints.ts'
import type { Ledger } from './ledger.ts'
import { TYPES } from './publishes.ts'
import type { SeededRandom } from './random.ts'
import type { ReceiverRecord } from './record.ts'
import { pickWebhook, SoakWebhook, type State } from './webhooks.ts'

/** What those who call the api share. */
export type Parts = {
  readonly client: SoakClient
  readonly ledger: Ledger
  /** All that there ever were. */
  readonly webhooks: SoakWebhook[]
  readonly record: ReceiverRecord
  readonly endpoints: Endpoints
  readonly random: SeededRandom
}

type Ask = Parameters<SoakClient['ask']>[2]

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
  async create(kind: EndpointKind = kindOf(this.#parts.webhooks.length)) {
    const { webhooks, endpoints, random } = this.#parts
    const path = `/w${webhooks.length}`
    const types = random.shuffled(TYPES).slice(0, random.integer(1, MOST_TYPES))
    const webhook = new SoakWebhook({ path, kind, types, url: endpoints.add(path, kind) })
    webhooks.push(webhook)
    webhook.become('unknown')
    const body = { name: path, url: webhook.url, events: types }
    const id = await this.#takeSecret(webhook, 'create', PATH, { body, good: [201] })
    if (id === undefined) return
    webhook.id = id
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
    const inactive = this.#parts.webhooks.filter(({ state }) => state === 'inactive').length
    const isActive = this.#parts.random.isHit(inactive / MOST_INACTIVE)
    const call = { method: 'PATCH', body: { is_active: isActive }, good: [200] }
    return this.#change([isActive ? 'inactive' : 'active'], (webhook) =>
      this.#set(webhook, isActive ? 'active' : 'inactive', call),
    )
  }

  regenerate = () =>
    this.#change(['active', 'inactive'], (webhook) =>
      this.#takeSecret(webhook, 'regenerate', `${PATH}/${webhook.id}/regenerate-secret`, { good: [200] }),
    )

  async #change(states: readonly State[], change: (webhook: SoakWebhook) => Promise<unknown>) {
    const webhook = pickWebhook(this.#parts, { states })
    if (!webhook) return
    webhook.isBusy = true
    await change(webhook)
    webhook.isBusy = false
  }

  /** Makes a call whose answer shows the webhook's new secret. @returns the answered id, if it was a success */
  async #takeSecret(webhook: SoakWebhook, name: string, path: string, ask: Ask): Promise<string | undefined> {
    const { status, isDone, data } = await this.#parts.client.ask(name, path, { ...ask, mode: 'keyed' })
    if (status === 0) webhook.hasUnknownSecret = true
    if (!isDone) return undefined
    const { id, secret } = data as { id: string; secret: string }
    this.#parts.record.learn(webhook.path, secret)
    return id
  }

  /** Brings a webhook into a state by a call that may be repeated. @returns whether it was answered with success */
  async #set(webhook: SoakWebhook, state: State, ask: Ask): Promise<boolean> {
    webhook.become('unknown')
    const call = { ...ask, mode: 'repeated' as const }
    const { isDone } = await this.#parts.client.ask(`make ${state}`, `${PATH}/${webhook.id}`, call)
    if (isDone) webhook.become(state)
    return isDone
  }
}
