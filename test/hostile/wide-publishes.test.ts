import { expect } from 'chai'
import { countRunning } from '../support/lock-waits.ts'
import { untilIs } from '../support/poll.ts'
import type { ApiAnswer, Json } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'
import { insertWebhooks } from '../support/many-rows.ts'

const WEBHOOKS = 120
const TYPE = 'activity.created'

describe('a company whose publishes make very many deliveries', function () {
  this.timeout(60_000)
  // No worker runs, because the tests read only the rows.
  const use = useStack({ workers: 0 })
  beforeEach(() => insertWebhooks(use.stack.db, use.tenant.tenant, WEBHOOKS, [TYPE]))

  const publish = (events: number, who = use.tenant): Promise<ApiAnswer> =>
    who.request('POST', '/api-v1-events', {
      events: Array.from({ length: events }, () => ({ event: TYPE, data: {} })),
    })
  const countDeliveries = () => use.stack.count('deliveries', { company_id: use.tenant.tenant.companyId })

  // decision: Very wide batches
  it('publishes up to 10,000 in one transaction', async () => {
    const { status, body } = await publish(83)
    expect(status).to.equal(201)
    expect(body.data.map((item: Json) => item.deliveries)).to.deep.equal(Array(83).fill(WEBHOOKS))
    expect(await countDeliveries()).to.equal(83 * WEBHOOKS)
    const events = await use.stack.db('events').where({ company_id: use.tenant.tenant.companyId })
    expect(new Set(events.map(({ created_at }: Json) => String(created_at)))).to.have.property('size', 1)
  })

  // decision: Very wide batches
  it('has one large publish under way at a time, which delays neither its small ones nor others', async function () {
    const neighbour = await use.stack.tenant()
    const { companyId } = use.tenant.tenant
    const hold = await use.stack.db.transaction()
    await hold('companies').where({ id: companyId }).forUpdate()
    const publishes = Array.from({ length: 10 }, () => publish(9))
    const countWaiting = () => countRunning(use.stack.db, 'from `companies`')
    await untilIs(countWaiting, 1)
    expect((await publish(1)).status).to.equal(201)
    const contact = await neighbour.request('POST', '/api-v1-contacts', { name: 'Ada' })
    expect(contact.status).to.equal(201)
    expect(await countWaiting()).to.equal(1)
    await hold.rollback()
    const answers = await Promise.all(publishes)
    const published = answers.filter(({ status }) => status === 201)
    this.runnable().title += ` (${published.length} of ${answers.length} published, the others refused)`
    // On a very busy machine the hold or the wait may last seconds. Then the api refuses and writes nothing.
    for (const { status } of answers) expect([201, 429, 503]).to.include(status)
    expect(await countDeliveries()).to.equal((published.length * 9 + 1) * WEBHOOKS)
    expect((await publish(9)).status, 'a large one once the others are over').to.equal(201)
  })
})
