import type { SoakClient } from './client.ts'
import { kindOf, type EndpointKind, type Endpoints } from './endpoints.ts'
import { ask, TYPES, type Call, type Ledger } from './ledger.ts'
import type { SeededRandom } from './random.ts'

/* The webhooks, and what their owner does: creates, changes and deletes them. */

/** What the callers of the api share. */
export type Parts = {
  readonly client: SoakClient
  readonly ledger: Ledger
  /** All webhooks of the run, deleted ones too. */
  readonly webhooks: SoakWebhook[]
  readonly record: Endpoints['record']
  readonly endpoints: Omit<Endpoints, 'record'>
  readonly random: SeededRandom
}

/** unknown: a call that changes it is under way, or had no certain answer. */
type State = 'active' | 'inactive' | 'deleted' | 'unknown'

/** Within this time of a change of a webhook an event may meet the webhook as it was or as it is. */
const MARGIN_MS = 250

/** A webhook as its owner knows it: what the api has answered, and since when. Times are epoch milliseconds of this process. */
export class SoakWebhook {
  /** Undefined until the api has answered with it. */
  id: string | undefined
  /** A change is under way; a second one would make the order of the two unknown. */
  isBusy = false
  /** Whether it may have a secret that no answer has shown. */
  hasUnknownSecret = false
  readonly path: string
  readonly types: readonly string[]
  readonly kind: EndpointKind
  /** Before its creation it is like an inactive one. */
  readonly #states: { atMs: number; state: State }[] = [{ atMs: -Infinity, state: 'inactive' }]

  constructor(path: string, types: readonly string[], kind: EndpointKind) {
    this.path = path
    this.types = types
    this.kind = kind
  }

  /** As it is now. */
  get state(): State {
    return this.#states.at(-1)?.state ?? 'unknown'
  }

  /** Notes that the webhook has this state from now on. */
  become(state: State) {
    this.#states.push({ atMs: Date.now(), state })
  }

  /** The state during the whole time, with a margin; unknown when it changed. */
  stateDuring(fromMs: number, untilMs: number): State {
    const seen = this.#states.filter(({ atMs }, index) => {
      const endMs = this.#states[index + 1]?.atMs ?? Infinity
      return atMs <= untilMs + MARGIN_MS && endMs >= fromMs - MARGIN_MS
    })
    const [only = 'unknown', ...others] = new Set(seen.map(({ state }) => state))
    return others.length === 0 ? only : 'unknown'
  }
}

/** Picks a wanted webhook that is there and not being changed. */
export function pickWebhook(
  { webhooks, random }: Pick<Parts, 'webhooks' | 'random'>,
  isWanted: (webhook: SoakWebhook) => boolean = () => true,
): SoakWebhook | undefined {
  const there = webhooks.filter(({ state }) => state === 'active' || state === 'inactive')
  return random.pick(there.filter((webhook) => !webhook.isBusy && isWanted(webhook)))
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
  const webhook = new SoakWebhook(path, types, kind)
  webhooks.push(webhook)
  const body = { name: path, url: endpoints.add(path, kind), events: types }
  await change(parts, webhook, 'create', { path: PATH, body, mode: 'keyed', good: [201], state: 'active' })
}

/** Deletes a webhook and creates another one, whose endpoint is of the same kind. */
export async function replaceWebhook(parts: Parts): Promise<void> {
  const webhook = pickWebhook(parts)
  if (!webhook) return
  // 404: an earlier try had deleted it.
  const call = { method: 'DELETE', good: [200, 404], state: 'deleted' } as const
  if (await change(parts, webhook, 'make deleted', call)) await createWebhook(parts, webhook.kind)
}

/** Activates an inactive webhook, or deactivates an active one. */
export async function toggleWebhook(parts: Parts): Promise<void> {
  const inactive = parts.webhooks.filter((webhook) => webhook.state === 'inactive').length
  const isActive = parts.random.isHit(inactive / MOST_INACTIVE)
  const state = isActive ? 'active' : 'inactive'
  const webhook = pickWebhook(parts, (one) => one.state !== state)
  const call = { method: 'PATCH', body: { is_active: isActive }, good: [200], state } as const
  if (webhook) await change(parts, webhook, `make ${state}`, call)
}

/** Gives a webhook a new secret. */
export async function regenerateSecret(parts: Parts): Promise<void> {
  const webhook = pickWebhook(parts)
  const path = `${PATH}/${webhook?.id}/regenerate-secret`
  if (webhook) await change(parts, webhook, 'regenerate', { path, mode: 'keyed', good: [200] })
}

/**
 * Makes a call that changes a webhook. The answer of a keyed one shows its new secret.
 *
 * @param call state: what the call brings the webhook into, if anything
 * @returns whether it was answered with success
 */
async function change(
  parts: Parts,
  webhook: SoakWebhook,
  name: string,
  {
    path = `${PATH}/${webhook.id}`,
    state,
    mode = 'repeated',
    ...call
  }: Call & { path?: string; state?: State },
): Promise<boolean> {
  webhook.isBusy = true
  if (state) webhook.become('unknown')
  const { status, isDone, data } = await ask(parts, name, path, { ...call, mode })
  if (isDone && state) webhook.become(state)
  if (mode === 'keyed' && status === 0) webhook.hasUnknownSecret = true
  if (mode === 'keyed' && isDone) {
    const { id, secret } = data as { id: string; secret: string }
    webhook.id = id
    parts.record.learn(webhook.path, secret)
  }
  webhook.isBusy = false
  return isDone
}
