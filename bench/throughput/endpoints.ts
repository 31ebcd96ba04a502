import { subscribe, TYPES } from './fixture.ts'
import type { LoadStack } from './programs.ts'
import type { PathBehaviour } from './receiver.ts'

/** Who gets the events. */
export type Endpoints = {
  /** Healthy endpoints that every event goes to. */
  readonly each: number
  /** That are published. */
  readonly types: (webhooks: number) => readonly string[]
  /** By path. */
  readonly behaviours?: (webhooks: number) => Readonly<Record<string, PathBehaviour>>
  /** Creates the webhooks. */
  readonly subscribe: (stack: LoadStack, types: readonly string[]) => Promise<void>
}

const firstTypes = (webhooks: number) => TYPES.slice(0, webhooks)

/** Every event type has one webhook, so an event has one delivery. */
export const EACH_ITS_OWN: Endpoints = {
  each: 1,
  types: firstTypes,
  async subscribe(stack, types) {
    for (const type of types) await subscribe(stack, { path: `/${type}`, types: [type] })
  },
}

/** One event type has ten webhooks. */
export const FAN_OUT: Endpoints = {
  each: 10,
  types: () => firstTypes(1),
  async subscribe(stack, types) {
    for (let n = 0; n < 10; n++) await subscribe(stack, { path: `/${n}`, types })
  },
}

/** Some endpoints answer 500 at first, and get the delivery again after so many seconds. */
const failing = (behaviour: PathBehaviour, share: number, retryAfter: number): Endpoints => ({
  ...EACH_ITS_OWN,
  behaviours: (webhooks) => {
    const types = firstTypes(Math.max(1, Math.round(webhooks * share)))
    return Object.fromEntries(types.map((type) => [`/${type}`, behaviour]))
  },
  async subscribe(stack, types) {
    for (const type of types)
      await subscribe(stack, { path: `/${type}`, types: [type], retrySchedule: [retryAfter] })
  },
})

/** A fifth of the endpoints answers 500 to the first request of each delivery, and 200 to the second. */
export const FAILING = failing('fail-first', 1 / 5, 2)
/** The same with retries so late that workflows make them. */
export const FAILING_FOR_WORKFLOWS = failing('fail-first', 1 / 5, 12)
/** Each endpoint answers 500 to the first request of every fifth delivery, and 200 to all others. */
export const FAILING_FIFTH = failing('fail-fifth', 1, 2)
