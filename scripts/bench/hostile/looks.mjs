/** Pages that one round of the reconciler reads, and the deliveries of a page, as upkeep/reconciler.ts has them. */
const PAGES = /** @type {const} */ ([
  ['overdue', 8],
  ['parked', 2],
])
const PAGE = 1_000
const RECONCILE_AFTER_MS = 300_000
/** Queues that a busy relay claims from between two searches. */
const CLAIMED_QUEUES = 64

/** @param {() => Promise<unknown>} work @returns {Promise<number>} milliseconds */
export async function timed(work) {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

/**
 * What the relay does 20 times a second: it searches for rows to claim. Each search remembers the queues of the one
 * before, as in a relay at work.
 *
 * @param {import('knex').Knex} db
 * @returns {Promise<() => Promise<void>>} one search
 */
export async function claimLooks(db) {
  const { CandidateFinder } = await import('../../../src/relay/candidates.ts')
  const finder = new CandidateFinder()
  return async () => {
    const queues = await finder.find(db)
    finder.claimed(queues.slice(0, CLAIMED_QUEUES))
  }
}

/**
 * What the reconciler does once a minute: it goes over its pages of overdue and parked deliveries.
 *
 * @param {import('knex').Knex} db
 * @returns {Promise<() => Promise<void>>} one round, which goes on where the one before ended; it throws when a delivery
 *   was queued again, because none is forgotten here
 */
export async function reconcilerLooks(db) {
  const { wakeForgottenDeliveries } = await import('../../../src/db/delivery/forgotten-deliveries.ts')
  /** @type {Map<string, any>} */
  const cursors = new Map()
  return async () => {
    for (const [part, pages] of PAGES) {
      for (let page = 0; page < pages; page++) {
        const options = { afterMs: RECONCILE_AFTER_MS, from: cursors.get(part), limit: PAGE }
        const { queued, next } = await wakeForgottenDeliveries(db, part, options)
        if (queued > 0) throw new Error(`${queued} ${part} deliveries were queued again`)
        cursors.set(part, next)
        if (!next) break
      }
    }
  }
}

/** @param {import('knex').Knex} db @returns {Promise<() => Promise<unknown>>} one measurement of the outbox, made every 10 s */
export async function outboxMeasurements(db) {
  const { measureOutbox } = await import('../../../src/db/outbox/figures.ts')
  return () => measureOutbox(db)
}
