import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import {
  deliveryOf,
  deliveryWith,
  kill,
  publish,
  startProxiedWorker,
  workflowOf,
} from '../support/crashes.js'
import { expectSoundRows } from '../support/invariants.js'
import { until } from '../support/poll.js'
import { startStack, type Stack } from '../support/stack.js'
import { createTcpProxyTo, type TcpProxy } from '../support/tcp-proxy.js'
import { createTestTenant, type TestTenant } from '../support/tenants.js'
import { createTestWebhook, type TestWebhook } from '../support/webhooks.js'

describe('crash between a publish and the start of its workflow', function () {
  this.timeout(90_000)
  let stack: Stack
  let tenant: TestTenant
  let webhook: TestWebhook
  let eventId: string
  const proxies: TcpProxy[] = []
  beforeEach(async () => {
    stack = await startStack({ workers: 0, environment: { WEBHOOK_TIMEOUT: '1s' }, mayLogErrors: true })
    tenant = await stack.tenant()
    webhook = await createTestWebhook(stack, tenant)
    eventId = `evt_${randomUUID()}`
  })
  afterEach(async () => {
    await stack.stop()
    await Promise.all(proxies.splice(0).map((proxy) => proxy.close()))
  })

  /** An api whose wire to the database is held at its COMMIT, that way. */
  async function crashAtCommit(direction: 'toServer' | 'toClient'): Promise<void> {
    const database = await createTcpProxyTo(stack.environment['DATABASE_URL']!)
    proxies.push(database)
    const api = await stack.startApi({ DATABASE_URL: database.through(stack.environment['DATABASE_URL']!) })
    const client = await createTestTenant(stack.db, api.url, { companyId: tenant.tenant.companyId })
    const held = database.holdAt('toServer', 'COMMIT')
    const answer = publish(client, eventId).catch(() => 'cut off')
    await held
    if (direction === 'toClient') {
      database.stall('toClient')
      await database.pass('toServer')
      await deliveryOf(stack, eventId)
    }
    await kill(api)
    expect(await answer).to.equal('cut off')
  }

  const countOf = async (table: string, where: object): Promise<number> => {
    const rows: unknown[] = await stack.db(table).where(where)
    return rows.length
  }

  it('leaves nothing when the api dies before its commit, and all of it after the repeat', async () => {
    await crashAtCommit('toServer')
    expect(await countOf('events', { id: eventId })).to.equal(0)
    expect(await countOf('deliveries', { event_id: eventId })).to.equal(0)
    expect(await countOf('outbox', {})).to.equal(0)
    expect((await publish(tenant, eventId)).status).to.equal(201)
    await stack.startWorker()
    await deliveryWith(stack, eventId, ({ status }) => status === 'success')
    expect(stack.receiver.requestsTo(webhook.path)).to.have.length(1)
    await expectSoundRows(stack.db)
  })

  it('has all of it when the api dies after its commit, and the repeat delivers nothing twice', async () => {
    await crashAtCommit('toClient')
    const repeat = await publish(tenant, eventId)
    expect([repeat.status, repeat.body.data.deliveries]).to.deep.equal([200, 1])
    await stack.startWorker()
    await deliveryWith(stack, eventId, ({ status }) => status === 'success')
    await until(
      () => countOf('outbox', {}),
      (rows) => rows === 0,
    )
    expect(stack.receiver.requestsTo(webhook.path)).to.have.length(1)
    await expectSoundRows(stack.db)
  })

  it('delivers what was published while no worker lived', async () => {
    expect((await publish(tenant, eventId)).status).to.equal(201)
    await stack.startWorker()
    await deliveryWith(stack, eventId, ({ status }) => status === 'success')
    expect(stack.receiver.requestsTo(webhook.path)).to.have.length(1)
  })

  it('delivers once when the worker that had claimed the start dies before its call arrives', async () => {
    const { worker, temporal } = await startProxiedWorker(stack)
    proxies.push(temporal)
    temporal.stall('toServer')
    await publish(tenant, eventId)
    const { id } = await deliveryOf(stack, eventId)
    await until(
      () => stack.db('outbox').where({ subject_id: id }).first(),
      (row: { lease_owner: string | null }) => row.lease_owner !== null,
    )
    await kill(worker)
    await stack.startWorker()
    await deliveryWith(stack, eventId, ({ status }) => status === 'success')
    expect(await workflowOf(stack, id, ({ status }) => status.name === 'COMPLETED')).to.exist
    expect(stack.receiver.requestsTo(webhook.path)).to.have.length(1)
    await expectSoundRows(stack.db)
  })
})
