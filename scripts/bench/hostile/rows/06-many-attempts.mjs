import { median } from '../../phases.mjs'
import { keepCalling } from '../calls.mjs'
import { mostMemory } from '../memory.mjs'
import { fillRows, idOf } from '../other-database.mjs'
import { withOtherApi } from '../other-api.mjs'

const ATTEMPTS = 2_500
const SHOWN = 20
const ROUNDS = 3
const ADDED_MIB = 100
/** The memory of a fresh process grows with its first thousands of answers, whatever they hold. */
const WARM_UP_ROUNDS = 5

export const row = {
  id: 6,
  party: 'the detail of a delivery with 2,500 attempts is read 12 times at once',
  before: '53 MB an answer, 126 -> 801 MiB, 503',
  bound: 'latest 20 attempts; all answered; + 100 MiB',
  /** @param {import('../stack.mjs').HostileStack} stack */
  run: (stack) =>
    withOtherApi(stack, { name: 'bench_many_attempts' }, async (api) => {
      const { companyId, key } = await api.tenant()
      const few = await createDelivery(api, companyId, 1)
      const many = await createDelivery(api, companyId, ATTEMPTS)
      const read = (/** @type {string} */ path) => readDetail(`${api.url}${path}`, key)
      /** @type {Record<string, number>} */
      const answers = {}
      const readMany = (/** @type {string} */ path) =>
        mostMemory(api, async () => {
          const call = async () => (await read(path)).status
          const counts = Object.entries(await keepCalling({ clients: 12, durationMs: 3_000, call }))
          for (const [status, count] of counts) answers[status] = (answers[status] ?? 0) + count
        })
      for (let round = 0; round < WARM_UP_ROUNDS; round++) await readMany(few)
      /** @type {{ quiet: number[], attacked: number[] }} */
      const memory = { quiet: [], attacked: [] }
      for (let round = 0; round < ROUNDS; round++) {
        memory.quiet.push(await readMany(few))
        memory.attacked.push(await readMany(many))
      }
      const { bytes, attempts } = await read(many)
      const { 200: answered = 0, ...others } = answers
      const [quietMib, attackedMib] = [median(memory.quiet), Math.max(...memory.attacked)]
      return {
        quiet: `${quietMib.toFixed(0)} MiB`,
        attacked: `${attackedMib.toFixed(0)} MiB, ${(bytes / 1e6).toFixed(2)} MB an answer`,
        ratio: attackedMib / quietMib,
        isWithin:
          attempts === SHOWN &&
          Object.keys(others).length === 0 &&
          attackedMib - (memory.quiet[0] ?? NaN) < ADDED_MIB,
        note: `memory of the api; quiet is a delivery with one attempt; ${attempts} attempts shown; ${answered} answers, all of them 200: ${Object.keys(others).length === 0 ? 'yes' : JSON.stringify(others)}`,
      }
    }),
}

/** @param {string} url @param {string} key */
async function readDetail(url, key) {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  const text = await response.text()
  const attempts = response.ok ? JSON.parse(text).data.attempt_log.length : 0
  return { status: response.status, bytes: Buffer.byteLength(text), attempts }
}

/**
 * Makes a webhook with one delivery, as a release left it that kept the response bodies (16 KiB) of all attempts.
 *
 * @param {import('../other-api.mjs').OtherApi} api
 * @param {string} companyId
 * @param {number} attempts
 * @returns {Promise<string>} the path of its detail
 */
async function createDelivery({ database, db }, companyId, attempts) {
  const webhook = idOf('whk', `'of ${attempts}'`)
  const delivery = idOf('del', `'of ${attempts}'`)
  await fillRows(database, [
    `INSERT INTO webhooks (id, company_id, environment, name, url, secret_sealed, is_active, max_retries, created_at, updated_at)
     VALUES (${webhook}, '${companyId}', 'live', 'much retried', 'https://example.com/', 'sealed', 1, 5, NOW(3), NOW(3))`,
    `INSERT INTO deliveries (id, company_id, environment, webhook_id, event_id, event_type, status, attempts, max_attempts,
       created_at, closed_at)
     VALUES (${delivery}, '${companyId}', 'live', ${webhook}, ${idOf('evt', `'of ${attempts}'`)}, 'contact.created', 'failed',
       ${attempts}, ${attempts}, NOW(3), NOW(3))`,
    `INSERT INTO attempts (delivery_id, number, started_at, duration_ms, response_code, response_body, \`trigger\`)
     SELECT ${delivery}, n + 1, NOW(3), 1, 500, REPEAT('b', 16384), 'manual' FROM numbers WHERE n < ${attempts}`,
  ])
  const [[row]] = await db.raw(`SELECT ${webhook} AS webhook_id, ${delivery} AS delivery_id`)
  return `/api-v1-webhooks/${row.webhook_id}/deliveries/${row.delivery_id}`
}
