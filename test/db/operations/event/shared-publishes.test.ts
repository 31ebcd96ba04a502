// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import type { Db } from '../../../../src/db/connection/connection.ts'
import * as resources from '../../../../src/domain/event/resources.ts'
import type { Tenant } from '../../../../src/domain/tenant.ts'
import { publishEvents, type EventInput } from '../../../../src/operations/event/publish.ts'
import { createResource } from '../../../../src/operations/resource/change.ts'
import { getResource } from '../../../../src/operations/resource/read.ts'
import { readResourceCounter } from '../../../../src/db/event/resource-rows.ts'
import { SharedPublishes } from '../../../../src/operations/event/shared-publishes.ts'
import { untilSomebodyWaitsForLock, whileOpen } from '../../../support/lock-waits.ts'
import { whileRefused } from '../../../support/refused-writes.ts'
import { createKeyring, refusalOf, useOperations } from '../../../support/use-operations.ts'
import { watchBatches } from '../../../support/watch-batches.ts'

const EVENT: EventInput = { type: 'contact.created', data: { name: 'Ada' } }

// decision: Publishes share transactions
describe('publishes that share transactions', () => {
  const its = useOperations()
  const { tenant, create } = its
  let shared: SharedPublishes
  let commits = 0

  beforeEach(() => {
    commits = 0
    shared = new SharedPublishes({ ...its.deps, batchDb: watchBatches(its.deps.batchDb, () => commits++) })
  })

  const publish = (owner: Tenant, ...events: EventInput[]) =>
    publishEvents(its.deps, owner, events, { shared })
  const otherTenant = async () => ({ ...tenant(), companyId: (await createKeyring(its.deps)).companyId })
  const deliveriesOf = ({ companyId, environment }: Tenant) =>
    its.db('deliveries').where({ company_id: companyId, environment })
  const eventsOf = ({ companyId }: Tenant) => its.db('events').where({ company_id: companyId })

  it('are those that arrive while another one commits', async () => {
    const webhookId = await its.newWebhook()
    const published = await Promise.all(Array.from({ length: 50 }, () => publish(tenant(), EVENT)))
    expect(commits).to.equal(2)
    expect(published.map(([event]) => event?.deliveries)).to.deep.equal(Array<number>(50).fill(1))
    const ids = published.map(([event]) => event?.id)
    expect(await deliveriesOf(tenant()).pluck('event_id')).to.have.members(ids)
    expect(await its.countersOf(webhookId)).to.include({ waiting: 50 })
  })

  it('reach the webhooks of their own tenant alone', async () => {
    const owners = [tenant(), { ...tenant(), environment: 'test' as const }, await otherTenant()]
    for (const [index, owner] of owners.entries())
      await its.insertWebhooks(index + 1, owner, [EVENT.type, 'deal.created'])
    const published = await Promise.all([...owners, ...owners].map((owner) => publish(owner, EVENT)))
    expect(published.map(([event]) => event?.deliveries)).to.deep.equal([1, 2, 3, 1, 2, 3])
    for (const [index, owner] of owners.entries())
      expect(await deliveriesOf(owner)).to.have.length(2 * (index + 1))
  })

  it('bring new records with them', async () => {
    await create({ events: ['contact.created', 'task.created', 'task.completed'] })
    const { contacts, tasks } = resources.RESOURCE_FAMILIES
    const record = (family: resources.FamilyDescription, fields: resources.Fields) =>
      createResource(its.deps, tenant(), family, fields, { shared })
    const made = await Promise.all([
      ...Array.from({ length: 10 }, (_, n) => record(contacts, { name: `contact ${n}` })),
      record(tasks, { name: 'a task', completed: true }),
      publish(tenant(), EVENT),
    ])
    expect(commits).to.equal(2)
    for (const { id, ...expected } of made.filter((item) => 'fields' in item)) {
      const family = expected.family === 'tasks' ? tasks : contacts
      expect(await getResource(its.deps, tenant(), family, id)).to.deep.equal({ id, ...expected })
    }
    const types: string[] = await deliveriesOf(tenant()).orderBy('event_type').pluck('event_type')
    const contactEvents = Array<string>(11).fill('contact.created')
    expect(types).to.deep.equal([...contactEvents, 'task.completed', 'task.created'])
    const counted = [contacts, tasks].map(({ family }) => readResourceCounter(its.db, tenant(), family))
    expect(await Promise.all(counted)).to.deep.equal([10, 1])
  })

  it('fail one by one when the rows of one of them are refused', async () => {
    const refused = await otherTenant()
    const publishAll = () =>
      Promise.allSettled([publish(tenant(), EVENT), publish(refused, EVENT), publish(tenant(), EVENT)])
    const isRefused = `NEW.company_id = '${refused.companyId}'`
    const [, ...outcomes] = await whileRefused(its.db, 'INSERT ON events', publishAll, isRefused)
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled'])
    expect(await eventsOf(tenant())).to.have.length(2)
    expect(await eventsOf(refused)).to.have.length(0)
  })

  it('wait no longer than a second for a lock that only one of them needs', async () => {
    const webhookId = await its.newWebhook()
    const other = await otherTenant()
    await publish(tenant(), EVENT)
    const shards = Array.from({ length: 16 }, (_, shard) => ({ webhook_id: webhookId, shard }))
    const lock = async (holder: Db) => {
      await holder('webhook_counters').insert(shards).onConflict().ignore()
      await holder('webhook_counters').where({ webhook_id: webhookId }).forUpdate()
    }
    const { held } = await whileOpen(its.db, lock, async () => {
      await publish(other, EVENT)
      const held = publish(tenant(), EVENT)
      await untilSomebodyWaitsForLock(its.db)
      expect(await publish(other, EVENT)).to.have.length(1)
      return { held }
    })
    expect((await held)[0]).to.include({ deliveries: 1 })
    expect(await deliveriesOf(tenant())).to.have.length(2)
  })

  it('leave one that makes more than 100 deliveries to a transaction of its own', async () => {
    const wide = await otherTenant()
    await its.insertWebhooks(101, wide, [EVENT.type])
    const owners = [tenant(), wide, tenant()]
    const published = await Promise.all(owners.map((owner) => publish(owner, EVENT)))
    expect(published.map((events) => events[0]?.deliveries)).to.deep.equal([0, 101, 0])
    expect(await deliveriesOf(wide)).to.have.length(101)
    expect(await its.db('outbox').where({ company_id: wide.companyId, kind: 'start' })).to.have.length(101)
    expect(await eventsOf(wide)).to.have.length(1)
  })

  it('are split before their bytes are too many for a packet of the database', async () => {
    const large: EventInput = { ...EVENT, data: { text: 'x'.repeat(250 * 1024) } }
    const published = await Promise.all(Array.from({ length: 13 }, () => publish(tenant(), large)))
    expect(published.flat()).to.have.length(13)
    expect(commits).to.equal(1 + 12 / 4)
  })

  it('go in turns between companies, however many one of them sends', async () => {
    const other = await otherTenant()
    const hundred = Array.from({ length: 100 }, () => EVENT)
    let written = 0
    const loud = Array.from({ length: 60 }, async () => {
      await publish(tenant(), ...hundred)
      written++
    })
    await publish(other, EVENT)
    // The publish under way, and those that fit into the next transaction with the other company's.
    expect(written).to.be.below(8)
    await Promise.all(loud)
  })

  it('wait with 8 MiB of events of a company at most, and refuse the others', async () => {
    const other = await otherTenant()
    const large: EventInput = { ...EVENT, data: { text: 'x'.repeat(250 * 1024) } }
    const loud = Array.from({ length: 50 }, () => refusalOf(publish(tenant(), large)))
    const quiet = await publish(other, large)
    const refused = (await Promise.all(loud)).filter((answer) => answer !== 'none')
    for (const refusal of refused)
      expect(refusal).to.match(/^RATE_LIMITED: Too many events of the company wait/)
    expect(50 - refused.length).to.be.within(8 * 4, 8 * 4 + 4)
    expect(await eventsOf(tenant())).to.have.length(50 - refused.length)
    expect(quiet).to.have.length(1)
  })

  // decision: Several statements in one round trip
  it('are alone in sending several statements at once', async () => {
    const several = (db: Db) => db.raw('SELECT 1; SELECT 2').catch((error: unknown) => error)
    expect(await several(its.deps.db)).to.have.property('errno', 1064)
    expect(await several(its.deps.batchDb)).to.be.an('array')
  })

  it('leave no transaction open on a connection whose statement failed', async () => {
    await create()
    const fail = () => publish(tenant(), EVENT).catch(() => 'failed')
    const failed = await whileRefused(its.db, 'INSERT ON deliveries', fail)
    expect(failed).to.equal('failed')
    expect(await eventsOf(tenant())).to.have.length(0)
    expect((await publish(tenant(), EVENT))[0]).to.include({ deliveries: 1 })
  })
})
