import type { SoakClient } from './client.ts'
import { kindOf, type Endpoints } from './endpoints.ts'
import { ask, type Call, type Ledger } from './ledger.ts'
import { TYPES } from './publishes.ts'
import type { SeededRandom } from './random.ts'
import type { ReceiverRecord } from './record.ts'
import { pickWebhook, SoakWebhook, type State } from './webhooks.ts'

/* What the owner of the webhooks does: creates, changes and deletes them. */

/** What the callers of the api share. */
export type Parts = {
  readonly client: SoakClient
  readonly ledger: Ledger
  /** All webhooks of the run, deleted ones too. */
  readonly webhooks: SoakWebhook[]
  readonly record: ReceiverRecord
  readonly endpoints: Endpoints
  readonly random: SeededRandom
}

/** The path of webhooks in the api. */
export const PATH = '/api-v1-webhooks'
const MOST_TYPES = 2
/** Webhooks that may be inactive at a time. */
const MOST_INACTIVE = 3

/** Creates a webhook with an endpoint of this kind. */
export async function createWebhook(parts: Parts, kind = kindOf(parts.webhooks.length)): Promise<void> {
  const { webhooks, endpoints, random } = parts
  const path = `/w${webhooks.length}`
  const types = random.shuffled(TYPES).slice(0, random.integer(1, MOST_TYPES))
  const webhook = new SoakWebhook({ path, kind, types })
  webhooks.push(webhook)
  webhook.become('unknown')
  const body = { name: path, url: endpoints.add(path, kind), events: types }
  webhook.id = await takeSecret(parts, webhook, 'create', PATH, { body, good: [201] })
  if (webhook.id !== undefined) webhook.become('active')
}

/** Deletes a webhook and creates another one, whose endpoint is of the same kind. */
export const replaceWebhook = (parts: Parts): Promise<void> =>
  change(pickWebhook(parts), async (webhook) => {
    // 404: an earlier try had deleted it.
    const isDeleted = await bring(parts, webhook, 'deleted', { method: 'DELETE', good: [200, 404] })
    if (isDeleted) await createWebhook(parts, webhook.kind)
  })

/** Activates an inactive webhook, or deactivates an active one. */
export function toggleWebhook(parts: Parts): Promise<void> {
  const inactive = parts.webhooks.filter(({ state }) => state === 'inactive').length
  const isActive = parts.random.isHit(inactive / MOST_INACTIVE)
  const picked = pickWebhook(parts, ({ state }) => state === (isActive ? 'inactive' : 'active'))
  const call = { method: 'PATCH', body: { is_active: isActive }, good: [200] }
  return change(picked, (webhook) => bring(parts, webhook, isActive ? 'active' : 'inactive', call))
}

/** Gives a webhook a new secret. */
export const regenerateSecret = (parts: Parts): Promise<void> =>
  change(pickWebhook(parts), (webhook) =>
    takeSecret(parts, webhook, 'regenerate', `${PATH}/${webhook.id}/regenerate-secret`, { good: [200] }),
  )

async function change(
  webhook: SoakWebhook | undefined,
  work: (webhook: SoakWebhook) => Promise<unknown>,
): Promise<void> {
  if (!webhook) return
  webhook.isBusy = true
  await work(webhook)
  webhook.isBusy = false
}

/** Makes a call whose answer shows the webhook's new secret. @returns the answered id, if it was a success */
async function takeSecret(parts: Parts, webhook: SoakWebhook, name: string, path: string, call: Call) {
  const { status, isDone, data } = await ask(parts, name, path, { ...call, mode: 'keyed' })
  if (status === 0) webhook.hasUnknownSecret = true
  if (!isDone) return undefined
  const { id, secret } = data as { id: string; secret: string }
  parts.record.learn(webhook.path, secret)
  return id
}

/** Brings a webhook into a state by a call that may be repeated. @returns whether it was answered with success */
async function bring(parts: Parts, webhook: SoakWebhook, state: State, call: Call): Promise<boolean> {
  webhook.become('unknown')
  const { isDone } = await ask(parts, `make ${state}`, `${PATH}/${webhook.id}`, { ...call, mode: 'repeated' })
  if (isDone) webhook.become(state)
  return isDone
}
