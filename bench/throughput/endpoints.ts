import { EVENT_TYPES } from '../../src/domain/event/catalog.ts'
import { createWebhook } from '../support/fill.ts'
import type { PathBehaviour } from './receiver.ts'
import type { LoadStack } from './stack.ts'

/** How many webhooks every phase has. */
export const WEBHOOKS = 10
const PATHS = Array.from({ length: WEBHOOKS }, (_, n) => `/${n}`)

/** Who gets the events. */
export type Endpoints = {
  /** Event types, which the webhooks take in turns. */
  readonly types: readonly string[]
  /** By path. */
  readonly behaviours?: Readonly<Record<string, PathBehaviour>>
  /** Seconds to the first retry. */
  readonly retryAfter?: number
}

/** Every event type has one webhook, so an event has one delivery. */
export const EACH_ITS_OWN: Endpoints = { types: EVENT_TYPES.slice(0, WEBHOOKS) }

/** One event type has all webhooks. */
export const FAN_OUT: Endpoints = { types: EVENT_TYPES.slice(0, 1) }

/** The first `count` endpoints behave in a way that fails at first, the others are healthy. */
const failing = (behaviour: PathBehaviour, count: number, retryAfter: number): Endpoints => ({
  ...EACH_ITS_OWN,
  behaviours: Object.fromEntries(PATHS.slice(0, count).map((path) => [path, behaviour])),
  retryAfter,
})

/** A fifth of the endpoints answers 500 to the first request of each delivery, and 200 to the second. */
export const FAILING = failing('fail-first', 2, 2)
/** The same, but with retries so late that workflows make them. */
export const FAILING_FOR_WORKFLOWS = failing('fail-first', 2, 12)
/** Each endpoint answers 500 to the first request of every fifth delivery, and 200 to all others. */
export const FAILING_FIFTH = failing('fail-fifth', 10, 2)

/** Creates the webhooks. */
export async function subscribe(
  { api, endpoint }: LoadStack,
  { types, retryAfter }: Endpoints = EACH_ITS_OWN,
): Promise<void> {
  const schedule = retryAfter === undefined ? {} : { retry_schedule: [retryAfter] }
  for (const [n, path] of PATHS.entries())
    await createWebhook(api, { url: endpoint(path), events: [types[n % types.length]], ...schedule })
}
