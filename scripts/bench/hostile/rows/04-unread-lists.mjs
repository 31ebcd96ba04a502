import { setTimeout as sleep } from 'node:timers/promises'
import { readMetric } from '../figures.mjs'
import { createLargeContacts } from '../large-lists.mjs'
import { mostMemory } from '../memory.mjs'
import { withOtherApi } from '../other-api.mjs'
import { askWithoutReading } from '../unread-lists.mjs'

const COMPANIES = 11
const BOUNDS = { addedMib: 100, seconds: 30 }
/** Reads of a large page before the quiet phase and in it: the memory that a page takes when it is read is no attack. */
const READS = 8
/** A request that waits for room is admitted or refused within 3 s: after this long without a held answer none is left. */
const SETTLED_MS = 4_000

export const row = {
  id: 4,
  party: '60 connections of 11 companies ask for pages of 11 MB and do not read',
  before: '193 -> 1,646 MiB, for minutes',
  bound: '+ 100 MiB, ended within 30 s',
  /** @param {import('../stack.mjs').HostileStack} stack */
  run: (stack) =>
    withOtherApi(stack, { name: 'bench_unread_lists' }, async (api) => {
      const tenants = []
      for (let n = 0; n <= COMPANIES; n++) tenants.push(await api.tenant())
      await createContacts(api, tenants)
      const neighbour = tenants[COMPANIES]
      const readPages = async () => {
        for (let n = 0; n < READS; n++) await neighbour?.api('GET', '/api-v1-contacts?limit=100')
      }
      await readPages()
      const quietMib = await mostMemory(api, readPages)
      const attack = await askWithoutReading({
        baseUrl: api.url,
        keys: tenants.slice(0, COMPANIES).map(({ key }) => key),
      })
      const startedMs = performance.now()
      const heldMs = [startedMs]
      const latestMs = () => heldMs.at(-1) ?? NaN
      let failed = 0
      const attackedMib = await mostMemory(api, async () => {
        while (
          performance.now() - latestMs() < SETTLED_MS &&
          latestMs() - startedMs < 2_000 * BOUNDS.seconds
        ) {
          const status = (await neighbour?.api('GET', '/api-v1-contacts?limit=1'))?.status
          if (status !== 200) failed += 1
          if (await holdsUnread(api)) heldMs.push(performance.now())
          await sleep(200)
        }
      })
      const seconds = (latestMs() - startedMs) / 1000
      attack.end()
      return {
        quiet: `${quietMib.toFixed(0)} MiB`,
        attacked: `${attackedMib.toFixed(0)} MiB, ended after ${seconds.toFixed(0)} s`,
        ratio: attackedMib / quietMib,
        isWithin: attackedMib - quietMib < BOUNDS.addedMib && seconds < BOUNDS.seconds && failed === 0,
        note: `memory of the api; quiet is a neighbour that reads such pages; ${failed} of its short lists failed during the attack`,
      }
    }),
}

/**
 * Gives the first company large contacts through the api and all others copies.
 *
 * @param {import('../other-api.mjs').OtherApi} api
 * @param {readonly import('../other-api.mjs').OtherTenant[]} tenants
 */
async function createContacts({ url, db }, [first, ...others]) {
  await createLargeContacts({ baseUrl: url, key: first?.key ?? '' })
  for (const { companyId } of others) {
    await db.raw(
      `INSERT INTO resources (id, company_id, environment, family, fields, created_at, updated_at)
       SELECT CONCAT('con_', UUID()), ?, environment, family, fields, created_at, updated_at
       FROM resources WHERE company_id = ?`,
      [companyId, first?.companyId ?? ''],
    )
  }
}

/** @param {{ url: string }} api @returns {Promise<boolean>} whether it holds large answers that nobody reads */
const holdsUnread = async (api) => (await readMetric(api, 'http_unsent_answer_bytes')) > 0
