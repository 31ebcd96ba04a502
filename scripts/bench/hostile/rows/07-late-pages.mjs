import { compareTimes, inTurns, median } from '../../phases.mjs'
import { callAtRate, countedAttack, listWebhooksOf, timesOf } from '../calls.mjs'
import { timed } from '../looks.mjs'
import { fillRows, idOf } from '../other-database.mjs'
import { withOtherApi } from '../other-api.mjs'

const CONTACTS = 400_000
const FIRST_PAGES = 20

export const row = {
  id: 7,
  party: '20 clients ask for page 4,000 of 400,000 contacts',
  before: 'neighbour all 503; `?limit=1` 243 ms',
  bound: 'neighbour always answered; `?limit=1` < 50 ms',
  /** @param {import('../stack.mjs').HostileStack} stack */
  run: (stack) =>
    withOtherApi(stack, { name: 'bench_late_pages' }, async ({ url: baseUrl, database, tenant }) => {
      const [heavy, neighbour] = [await tenant(), await tenant()]
      await fillRows(database, contactsOf(heavy.companyId))
      const measure = () => callAtRate(listWebhooksOf(neighbour))
      await measure()
      const firstPages = []
      for (let n = 0; n < FIRST_PAGES; n++) {
        firstPages.push(await timed(() => heavy.api('GET', '/api-v1-contacts?limit=1')))
      }
      const firstPageMs = median(firstPages)
      const options = { baseUrl, key: heavy.key }
      const attackModule = new URL('../late-pages.mjs', import.meta.url)
      const pages = countedAttack(stack, attackModule, 'askForLatePages', options)
      const { phases, failed } = timesOf(await inTurns({ measure, attack: pages.attack }))
      return {
        ...compareTimes(phases),
        isWithin: failed === 0 && firstPageMs < 50,
        note: `a GET of the neighbour, ${failed} failed; \`?limit=1\` takes ${firstPageMs.toFixed(0)} ms; the pages were answered ${pages.answers()}`,
      }
    }),
}

/** @param {string} companyId @returns {string[]} statements */
const contactsOf = (companyId) => [
  `INSERT INTO resources (id, company_id, environment, family, fields, created_at, updated_at)
   SELECT ${idOf('con', 'n')}, '${companyId}', 'live', 'contacts', CONCAT('{"name":"contact ', n, '"}'),
     NOW(3) - INTERVAL n SECOND, NOW(3) - INTERVAL n SECOND
   FROM numbers WHERE n < ${CONTACTS}`,
  `INSERT INTO resource_counters (company_id, environment, family, shard, records)
   VALUES ('${companyId}', 'live', 'contacts', 0, ${CONTACTS})`,
  'ANALYZE TABLE resources',
]
