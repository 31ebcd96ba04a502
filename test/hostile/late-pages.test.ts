import { expect } from 'chai'
import { listResources } from '../../src/db/event/resource-lists.ts'
import { newId } from '../../src/domain/ids.ts'
import { countRunning } from '../support/lock-waits.ts'
import { untilAtLeast } from '../support/poll.ts'
import { explain, sentStatements } from '../support/rows-read.ts'
import { useStack } from '../support/use-stack.ts'

const CLIENTS = 20

describe('a company that asks for late pages of a long list, or searches it', function () {
  this.timeout(60_000)
  const use = useStack({ workers: 0 })

  /** Holds every read of the table until `release` is called. */
  async function hold(table: string): Promise<{ release: () => Promise<void> }> {
    const connection = (await use.stack.db.client.acquireConnection()) as object
    await use.stack.db.raw('LOCK TABLES ?? WRITE', [table]).connection(connection)
    return {
      release: async () => {
        await use.stack.db.raw('UNLOCK TABLES').connection(connection)
        await use.stack.db.client.releaseConnection(connection)
      },
    }
  }

  for (const [what, path, table, statement, advice] of [
    [
      'reads two lists',
      '/api-v1-contacts?limit=100&page=4000',
      'resources',
      'FROM resources',
      /earlier page or a smaller limit|when one is answered/,
    ],
    ['searches twice', '/api-v1-events?q=ada%40example.com', 'events', 'events_list', /./],
  ] as const)
    // decision: Lists at once
    // decision: Search
    it(`${what} at once and leaves other connections free; the answer to a slow one says what to do, and when to come back`, async function () {
      const neighbour = await use.stack.tenant()
      const read = (who = use.tenant) => who.request('GET', path)
      expect((await read()).status).to.equal(200)
      const held = await hold(table)
      try {
        const reads = Array.from({ length: CLIENTS }, () => read())
        expect(await untilAtLeast(() => countRunning(use.stack.db, statement), 2)).to.equal(2)
        expect((await neighbour.request('GET', '/api-v1-webhooks')).status).to.equal(200)
        const answers = await Promise.all(reads)
        for (const { headers, body } of answers) {
          expect(Number(headers.get('retry-after'))).to.be.above(0)
          expect(body.error.message).to.match(advice)
        }
        const refused = answers.filter(({ status }) => status === 429)
        this.runnable().title += ` (${refused.length} x 429, ${CLIENTS - refused.length} x 503)`
        expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([429, 503]))
      } finally {
        await held.release()
      }
      expect((await read(neighbour)).status).to.equal(200)
    })

  // decision: Lists at once
  it('reads only an index up to the page, and counts no records', async () => {
    const { db } = use.stack
    const of = { company_id: use.tenant.tenant.companyId, environment: 'live', family: 'contacts' }
    const rows = Array.from({ length: 3_000 }, (_, n) => {
      const at = { created_at: new Date(n), updated_at: new Date(n) }
      return { ...of, ...at, id: newId('contact'), fields: JSON.stringify({ name: `n${n}` }) }
    })
    await db.batchInsert('resources', rows, 500)
    await db.raw('ANALYZE TABLE resources')
    let names: string[] = []
    const statements = await sentStatements(db, async () => {
      const page = await listResources(db, use.tenant.tenant, 'contacts', { limit: 50, page: 40 })
      names = page.items.map(({ fieldsJson }) => (JSON.parse(fieldsJson.toString()) as { name: string }).name)
    })
    expect(names).to.deep.equal(Array.from({ length: 50 }, (_, n) => `n${3_000 - 1 - 39 * 50 - n}`))
    expect(statements.map(({ sql }) => sql).filter((sql) => /count\(/i.test(sql))).to.deep.equal([])
    const read = statements.find(({ sql }) => sql.includes('FROM resources'))
    const plan = await explain(db, read?.sql ?? '', read?.bindings ?? [])
    const walk = plan.find(({ key }) => key === 'resources_list')
    expect(walk?.Extra).to.include('Using index')
    expect(plan.find(({ type }) => type === 'eq_ref')).to.include({ table: 'resources', key: 'PRIMARY' })
  })
})
