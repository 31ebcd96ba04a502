import { subscribe, TYPES } from './fixture.mjs'

/** @typedef {import('./stack.mjs').BenchStack} BenchStack */

/** Seconds after which a delivery that failed once is tried again: soon, or so late that a workflow does it in either way. */
const RETRY_SCHEDULES = { soon: [2], late: [12] }

/**
 * @typedef {object} Endpoints who gets the events
 * @property {number} each healthy endpoints that every event goes to
 * @property {(webhooks: number) => readonly string[]} types that are published
 * @property {(webhooks: number) => Record<string, import('./receiver.mjs').PathBehaviour>} [behaviours] by path
 * @property {(stack: BenchStack, types: readonly string[], webhooks: number) => Promise<void>} subscribe creates the webhooks
 */

const pathOf = (/** @type {string | number} */ name) => `/${name}`
const firstTypes = (/** @type {number} */ webhooks) => TYPES.slice(0, webhooks)

/** @type {Endpoints} every event type has one webhook, so an event has one delivery */
export const EACH_ITS_OWN = {
  each: 1,
  types: firstTypes,
  async subscribe(stack, types) {
    for (const type of types) await subscribe(stack, { path: pathOf(type), types: [type] })
  },
}

/** @type {Endpoints} one event type has ten webhooks */
export const FAN_OUT = {
  each: 10,
  types: () => firstTypes(1),
  async subscribe(stack, types) {
    for (let n = 0; n < 10; n++) await subscribe(stack, { path: pathOf(n), types })
  },
}

const failingTypes = (/** @type {number} */ webhooks) => TYPES.slice(0, Math.max(1, Math.round(webhooks / 5)))

/** @param {readonly number[]} retrySchedule @returns {Endpoints} */
const failing = (retrySchedule) => ({
  ...EACH_ITS_OWN,
  behaviours: (webhooks) =>
    Object.fromEntries(failingTypes(webhooks).map((type) => [pathOf(type), 'fail-first'])),
  async subscribe(stack, types) {
    for (const type of types) await subscribe(stack, { path: pathOf(type), types: [type], retrySchedule })
  },
})

/** A fifth of the endpoints answers 500 to the first request of each delivery, and 200 to the second. */
export const FAILING = failing(RETRY_SCHEDULES.soon)

/** The same with retries so late that workflows make them. */
export const FAILING_FOR_WORKFLOWS = failing(RETRY_SCHEDULES.late)

/** @type {Endpoints} each endpoint answers 500 to the first request of every fifth delivery, and 200 to all others */
export const FAILING_FIFTH = {
  ...FAILING,
  behaviours: (webhooks) =>
    Object.fromEntries(firstTypes(webhooks).map((type) => [pathOf(type), 'fail-fifth'])),
}

/** @type {Endpoints} healthy endpoints, and beside them one that refuses connections and one that never answers */
export const BESIDE = {
  ...EACH_ITS_OWN,
  behaviours: () => ({ '/hung': 'hang' }),
  async subscribe(stack, types, webhooks) {
    await EACH_ITS_OWN.subscribe(stack, types, webhooks)
    await subscribe(stack, { path: '/hung', types })
    await subscribe(stack, { url: stack.deadEndpoint, types })
  },
}
