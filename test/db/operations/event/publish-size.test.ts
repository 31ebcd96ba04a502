// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { createEvent } from '../../../../src/domain/event/event.ts'
import type { EventType } from '../../../../src/domain/event/types.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { createLargePublishLimit, sizePublish } from '../../../../src/operations/event/publish-size.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { countRowsRead } from '../../../support/rows-read.ts'
import { useOperations } from '../../../support/use-operations.ts'
import { insertWebhooks } from '../../../support/webhook-rows.ts'

describe('the size of a publish', () => {
  const its = useOperations()
  const { tenant } = its
  const events = (count: number, type: EventType = 'contact.created') =>
    Array.from({ length: count }, () => createEvent({ id: newId('event'), type, data: {}, now: new Date() }))
  const hooks = (count: number, owner = tenant()) => insertWebhooks(its.db, owner, count, ['contact.created'])
  const size = (...given: ReturnType<typeof events>) => sizePublish(its.deps, tenant(), given)

  it('is large beyond 1,000 deliveries; only subscribed types make deliveries', async () => {
    await hooks(25)
    expect(await size(...events(40))).to.deep.equal({ isLarge: false })
    expect(await size(...events(41))).to.deep.equal({ isLarge: true })
    expect(await size(...events(40), ...events(60, 'task.created'))).to.deep.equal({ isLarge: false })
  })

  it('counts no inactive webhook and none of another tenant', async () => {
    const [inactive] = await hooks(11)
    await its.db('webhooks').where({ id: inactive! }).update({ is_active: false })
    for (const other of foreignTenants(tenant())) await hooks(5, other)
    expect(await size(...events(100))).to.deep.equal({ isLarge: false })
  })

  it('needs no query when the limit of webhooks shows that it cannot be large', async () => {
    await hooks(1)
    const { config } = its.deps
    const reads = (count: number) =>
      countRowsRead(its.db, (db) => sizePublish({ ...its.deps, db, config }, tenant(), events(count)))
    const most = Math.floor(1_000 / config.webhooksPerTenant)
    expect(await reads(most)).to.be.below(await reads(most + 1))
  })

  it('is refused beyond 10,000 deliveries, and the answer says into how many requests to split it', async () => {
    await hooks(101)
    expect(await refusalOf(size(...events(99)))).to.equal('none')
    expect(await refusalOf(size(...events(100)))).to.equal(
      'VALIDATION_ERROR: The events would make 10100 deliveries, and a request may make 10000: ' +
        'split them into 2 requests or more.',
    )
  })
})

describe('large publishes of a company', () => {
  it('run one after another, 16 wait, and the next one is refused', async () => {
    const limit = createLargePublishLimit()
    let end: () => void = () => undefined
    const held = new Promise<void>((resolve) => (end = resolve))
    let running = 0
    const work = async () => {
      running += 1
      expect(running).to.equal(1)
      await held
      running -= 1
    }
    const admitted = Array.from({ length: 17 }, () => limit.run('com_1', work))
    expect(await refusalOf(limit.run('com_1', work))).to.match(/^RATE_LIMITED: .* more than 1000 deliveries/)
    end()
    await Promise.all(admitted)
  })
})
