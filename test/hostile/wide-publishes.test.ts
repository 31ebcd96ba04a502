import { expect } from 'chai'
import { countRunning } from '../support/held-queries.ts'
import { until, untilIs } from '../support/poll.ts'
import type { ApiAnswer, Json } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'
import { insertWebhooks } from '../support/webhook-rows.ts'

const WEBHOOKS = 120
const TYPE = 'activity.created'

describe('a company whose publishes make very many deliveries', function () {
  this.timeout(60_000)
  // Without a worker, because the tests read only the rows.
  const use = useStack({ workers: 0 })
  beforeEach(() => insertWebhooks(use.stack.db, use.tenant.tenant, WEBHOOKS, [TYPE]))

  const publish = (events: number, who = use.tenant): Promise<ApiAnswer> =>
    who.request('POST', '/api-v1-events', {
      events: Array.from({ length: events }, () => ({ event: TYPE, data: {} })),
    })
  const countOf = async (table: string): Promise<number> => {
    const [row] = (await use.stack
      .db(table)
      .where({ company_id: use.tenant.tenant.companyId })
      .count({ count: '*' })) as Json[]
    return Number(row.count)
  }

  // decision: Very wide batches
  it('publishes up to 10,000 in one transaction', async () => {
    const { status, body } = await publish(83)
    expect(status).to.equal(201)
    expect(body.data.map((item: Json) => item.deliveries)).to.deep.equal(Array(83).fill(WEBHOOKS))
    expect(await countOf('deliveries')).to.equal(83 * WEBHOOKS)
    const events = await use.stack.db('events').where({ company_id: use.tenant.tenant.companyId })
    expect(new Set(events.map(({ created_at }: Json) => String(created_at)))).to.have.property('size', 1)
  })

  // decision: Very wide batches
  it('has one large publish under way at a time, and others keep their connections', async () => {
    const neighbour = await use.stack.tenant()
    const { companyId } = use.tenant.tenant
    const hold = await use.stack.db.transaction()
    await hold('companies').where({ id: companyId }).forUpdate()
    const publishes = Array.from({ length: 20 }, () => publish(9))
    // One holds a connection and waits for the company; 16 wait without one; the rest is told to come back.
    const refused = await firstAnswers(publishes, 3)
    expect(refused.map(({ status }) => status)).to.deep.equal([429, 429, 429])
    for (const { headers, body } of refused) {
      expect(Number(headers.get('retry-after'))).to.be.above(0)
      expect(body.error.message).to.include('one after another')
    }
    expect(await countRunning(use.stack.db, 'from `companies`')).to.equal(1)
    const contact = await neighbour.request('POST', '/api-v1-contacts', { name: 'Ada' })
    expect(contact.status).to.equal(201)
    await hold.rollback()
    const answers = await Promise.all(publishes)
    const published = answers.filter(({ status }) => status === 201)
    expect(published).to.have.length.above(1)
    // A machine so busy that the hold above or the waiting lasted seconds: told to come back, and nothing is written.
    for (const { status } of answers) expect([201, 429, 503]).to.include(status)
    expect(await countOf('deliveries')).to.equal(published.length * 9 * WEBHOOKS)
  })

  // decision: Very wide batches
  it('publishes a little without waiting for its large publishes', async () => {
    const hold = await use.stack.db.transaction()
    await hold('companies').where({ id: use.tenant.tenant.companyId }).forUpdate()
    const large = publish(9)
    await untilIs(() => countRunning(use.stack.db, 'from `companies`'), 1)
    expect((await publish(1)).status).to.equal(201)
    await hold.rollback()
    await large
  })
})

/** The answers that come first. */
async function firstAnswers(pending: readonly Promise<ApiAnswer>[], count: number): Promise<ApiAnswer[]> {
  const answers: ApiAnswer[] = []
  for (const one of pending) void one.then((answer) => answers.push(answer))
  await until(
    () => answers.length,
    (length) => length >= count,
  )
  return answers.slice(0, count)
}
