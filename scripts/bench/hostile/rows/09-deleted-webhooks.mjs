import { compareTimes } from '../../phases.mjs'
import { timed } from '../looks.mjs'
import { webhooksOf } from '../many-webhooks.mjs'
import { fillRows } from '../other-database.mjs'
import { withOtherApi } from '../other-api.mjs'

const WEBHOOKS = 100_000
const DELETE_SECONDS = 25
/** Webhooks of one transaction, which does what a DELETE request does, but many times as fast. */
const DELETED_AT_ONCE = 200
const TYPE = 'contact.created'
const ROUNDS = 3
const PUBLISHES = 60

export const row = {
  id: 9,
  party: 'webhooks were created and deleted over time',
  before: 'publish 4 -> 142 ms with 100,000 deleted',
  bound: 'p50 < 1.5x',
  /** @param {import('../stack.mjs').HostileStack} stack */
  run: (stack) =>
    withOtherApi(stack, { name: 'bench_deleted_webhooks' }, async ({ database, db, tenant }) => {
      const [none, many] = [await tenant(), await tenant()]
      const { companyId } = many
      await fillRows(database, webhooksOf({ companyId, count: WEBHOOKS, type: TYPE }))
      const deleted = await deleteWebhooks(db, companyId)
      for (const { api } of [none, many]) {
        const fields = { name: 'living', url: 'https://example.com/', events: [TYPE] }
        const { status, error } = await api('POST', '/api-v1-webhooks', fields)
        if (status !== 201) throw new Error(`a webhook was answered with ${status}: ${error?.message}`)
      }
      await publishTo(none)
      await publishTo(many)
      /** @type {{ quiet: number[][], attacked: number[][] }} */
      const phases = { quiet: [], attacked: [] }
      for (let round = 0; round < ROUNDS; round++) {
        phases.quiet.push(await publishTo(none))
        phases.attacked.push(await publishTo(many))
      }
      const compared = compareTimes(phases, 0.5)
      return {
        ...compared,
        isWithin: compared.ratio < 1.5,
        note: `a publish, with ${deleted} deleted webhooks and without`,
      }
    }),
}

/** @param {import('../other-api.mjs').OtherTenant} tenant @returns {Promise<number[]>} milliseconds of each publish */
async function publishTo({ api }) {
  const times = []
  for (let n = 0; n < PUBLISHES; n++) {
    times.push(
      await timed(async () => {
        const { status } = await api('POST', '/api-v1-events', { event: TYPE, data: {} })
        if (status !== 201) throw new Error(`a publish was answered with ${status}`)
      }),
    )
  }
  return times
}

/**
 * Deletes webhooks of the company for DELETE_SECONDS, and removes those that are left over.
 *
 * @param {import('knex').Knex} db
 * @param {string} companyId
 * @returns {Promise<number>} how many were deleted
 */
async function deleteWebhooks(db, companyId) {
  const { markWebhookDeleted } = await import('../../../../src/db/webhook/webhooks.ts')
  const ids = /** @type {string[]} */ (await db('webhooks').where({ company_id: companyId }).pluck('id'))
  const endMs = performance.now() + DELETE_SECONDS * 1000
  const tenant = /** @type {const} */ ({ companyId, environment: 'live' })
  const work = async () => {
    while (performance.now() < endMs && ids.length > 0) {
      const some = ids.splice(0, DELETED_AT_ONCE)
      await db.transaction(async (trx) => {
        for (const id of some) await markWebhookDeleted(trx, tenant, id, new Date())
      })
    }
  }
  await Promise.all(Array.from({ length: 4 }, work))
  const leftOver = ids.length
  while (ids.length > 0) {
    const some = ids.splice(0, 5_000)
    await db('webhook_event_types').whereIn('webhook_id', some).delete()
    await db('webhooks').whereIn('id', some).delete()
  }
  return WEBHOOKS - leftOver
}
