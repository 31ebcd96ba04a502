import { subscribe, TYPES } from './fixture.ts'
import type { LoadStack } from './stack.ts'
import type { PathBehaviour } from './receiver.ts'

/** Who gets the events. */
export type Endpoints = {
  /** Healthy endpoints that every event goes to. */
  readonly each: number
  /** That are published. */
  readonly types: readonly string[]
  /** By path. */
  readonly behaviours?: Readonly<Record<string, PathBehaviour>>
  /** Creates the webhooks. */
  readonly subscribe: (stack: LoadStack) => Promise<void>
}

const subscribeEach = async (stack: LoadStack, retrySchedule?: readonly number[]): Promise<void> => {
  for (const type of TYPES) await subscribe(stack, { path: `/${type}`, types: [type], retrySchedule })
}

/** Every event type has one webhook, so an event has one delivery. */
export const EACH_ITS_OWN: Endpoints = { each: 1, types: TYPES, subscribe: (stack) => subscribeEach(stack) }

/** One event type has ten webhooks. */
export const FAN_OUT: Endpoints = {
  each: 10,
  types: TYPES.slice(0, 1),
  async subscribe(stack) {
    for (let n = 0; n < 10; n++) await subscribe(stack, { path: `/${n}`, types: this.types })
  },
}

/** Some endpoints answer 500 at first, and get the delivery again after so many seconds. */
const failing = (behaviour: PathBehaviour, count: number, retryAfter: number): Endpoints => ({
  ...EACH_ITS_OWN,
  behaviours: Object.fromEntries(TYPES.slice(0, count).map((type) => [`/${type}`, behaviour])),
  subscribe: (stack) => subscribeEach(stack, [retryAfter]),
})

/** A fifth of the endpoints answers 500 to the first request of each delivery, and 200 to the second. */
export const FAILING = failing('fail-first', 2, 2)
/** The same with retries so late that workflows make them. */
export const FAILING_FOR_WORKFLOWS = failing('fail-first', 2, 12)
/** Each endpoint answers 500 to the first request of every fifth delivery, and 200 to all others. */
export const FAILING_FIFTH = failing('fail-fifth', 10, 2)
