import type { EndpointKind } from './endpoints.ts'
import type { SeededRandom } from './random.ts'

/** unknown: a call that changes it is under way, or had no certain answer. */
export type State = 'active' | 'inactive' | 'deleted' | 'unknown'

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

  constructor({ path, types, kind }: Pick<SoakWebhook, 'path' | 'types' | 'kind'>) {
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
    const states = new Set(seen.map(({ state }) => state))
    const [only = 'unknown'] = states
    return states.size === 1 ? only : 'unknown'
  }
}

/** Picks a wanted webhook that is there and not being changed. */
export function pickWebhook(
  { webhooks, random }: { readonly webhooks: readonly SoakWebhook[]; readonly random: SeededRandom },
  isWanted: (webhook: SoakWebhook) => boolean = () => true,
): SoakWebhook | undefined {
  const there = webhooks.filter(({ state }) => state === 'active' || state === 'inactive')
  return random.pick(there.filter((webhook) => !webhook.isBusy && isWanted(webhook)))
}
