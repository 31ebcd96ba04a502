import { subscribe } from '../../deliveries.mjs'
import { inTurns, median } from '../../phases.mjs'
import { holdCommands, insertOpenDeliveries, letCommandsGo } from '../open-deliveries.mjs'
import { waitUntil } from '../../../lib/ready.mjs'

const WEBHOOKS = 20
const DELIVERIES = 6_000
const GRACE_S = 20

export const row = {
  id: 10,
  party: '20 webhooks with 6,000 open deliveries each are deleted, then the worker is told to stop',
  before: 'exit after 54 s',
  bound: 'exit within the grace of 20 s',
  /** @param {import('../stack.mjs').HostileStack} shared */
  async run(shared) {
    const stack = await shared.another({ workers: 0, env: { SHUTDOWN_GRACE: `${GRACE_S}s` } })
    const { api, companyId } = await stack.tenant()
    const webhookIds = []
    for (let n = 0; n < WEBHOOKS; n++) {
      webhookIds.push(await subscribe(api, stack.receiver, { type: 'deal.created', path: `/${n}` }))
    }
    await insertOpenDeliveries(stack, { companyId, webhookIds, each: DELIVERIES })
    for (const id of webhookIds) await api('DELETE', `/api-v1-webhooks/${id}`)
    await holdCommands(stack, companyId)
    /** Starts a worker and tells it to stop, in the middle of a page if deliveries are being closed. */
    const measure = async () => {
      const worker = await stack.startWorker()
      const isAtWork = async () => (await countClaimed(stack.db, companyId)) > 0
      if (isDeleting) await waitUntil('A page', isAtWork, { intervalMs: 5 })
      return worker.stop()
    }
    let isDeleting = false
    const attack = async () => {
      await letCommandsGo(stack, companyId)
      isDeleting = true
      return async () => {
        await holdCommands(stack, companyId)
        isDeleting = false
      }
    }
    const { quiet, attacked } = await inTurns({ measure, attack })
    const left = await countOpen(stack.db, companyId)
    await stack.stop()
    const seconds = (/** @type {typeof quiet} */ stops) => median(stops.map((stop) => stop.seconds))
    const isClean = [...quiet, ...attacked].every(({ code }) => code === 0)
    return {
      quiet: `${seconds(quiet).toFixed(2)} s`,
      attacked: `${seconds(attacked).toFixed(2)} s`,
      isWithin: isClean && attacked.every((stop) => stop.seconds < GRACE_S) && left > 0,
      note: `until the worker has exited; ${left} deliveries were still open at the end`,
    }
  },
}

/** @param {import('knex').Knex} db @param {string} companyId @returns {Promise<number>} */
async function countOpen(db, companyId) {
  const [row] = await db('deliveries')
    .where({ company_id: companyId, status: 'retrying' })
    .count({ count: '*' })
  return Number(row?.count)
}

/** @param {import('knex').Knex} db @param {string} companyId @returns {Promise<number>} commands that a worker has claimed */
async function countClaimed(db, companyId) {
  const commands = db('outbox').where({ company_id: companyId }).whereNotNull('lease_owner')
  const [row] = await commands.count({ count: '*' })
  return Number(row?.count)
}
