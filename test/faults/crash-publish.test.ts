// Also on MySQL with direct attempts: it matters who makes the attempt that a crash cuts.
import { expect } from 'chai'
import { deliveryOf, deliveryWith, kill, publish, workflowOf } from '../support/crashes.ts'
import { useCrashStack } from '../support/crash-stack.ts'
import { BY_WORKFLOWS } from '../support/first-attempts.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { until, untilIs } from '../support/poll.ts'
import { useTcpProxies } from '../support/tcp-proxy.ts'
import { createTestTenant } from '../support/tenants.ts'

describe('crash between a publish and the start of its workflow', function () {
  this.timeout(90_000)
  const use = useCrashStack()
  const createProxy = useTcpProxies()

  /** An api whose wire to the database is held at its COMMIT, that way. */
  async function crashAtCommit(direction: 'toServer' | 'toClient'): Promise<void> {
    const database = await createProxy(use.stack.environment['DATABASE_URL']!)
    const api = await use.stack.spawnApi({
      DATABASE_URL: database.through(use.stack.environment['DATABASE_URL']!),
    })
    const client = await createTestTenant(use.stack.db, api.url, { companyId: use.tenant.tenant.companyId })
    // With the semicolon that Knex writes, so that "READ COMMITTED" of a new connection is passed on.
    const held = database.holdAt('toServer', 'COMMIT;')
    const answer = publish(client, use.eventId).catch(() => 'cut off')
    await held
    if (direction === 'toClient') {
      database.stall('toClient')
      await database.pass('toServer')
      await deliveryOf(use.stack, use.eventId)
    }
    await kill(api)
    expect(await answer).to.equal('cut off')
  }

  const countOf = async (table: string, where: object): Promise<number> => {
    const rows: unknown[] = await use.stack.db(table).where(where)
    return rows.length
  }

  it('leaves nothing when the api dies before its commit, and all of it after the repeat', async () => {
    await use.killWorkers()
    await crashAtCommit('toServer')
    expect(await countOf('events', { id: use.eventId })).to.equal(0)
    expect(await countOf('deliveries', { event_id: use.eventId })).to.equal(0)
    expect(await countOf('outbox', { company_id: use.tenant.tenant.companyId })).to.equal(0)
    expect((await publish(use.tenant, use.eventId)).status).to.equal(201)
    await use.worker()
    await deliveryWith(use.stack, use.eventId, ({ status }) => status === 'success')
    expect(use.stack.receiver.requestsTo(use.webhook.path)).to.have.length(1)
    await expectSoundRows(use.stack.db)
  })

  it('has all of it when the api dies after its commit, and the repeat delivers nothing twice', async () => {
    await use.killWorkers()
    await crashAtCommit('toClient')
    const repeat = await publish(use.tenant, use.eventId)
    expect([repeat.status, repeat.body.data.deliveries]).to.deep.equal([200, 1])
    await use.worker()
    await deliveryWith(use.stack, use.eventId, ({ status }) => status === 'success')
    await untilIs(() => countOf('outbox', { company_id: use.tenant.tenant.companyId }), 0)
    expect(use.stack.receiver.requestsTo(use.webhook.path)).to.have.length(1)
    await expectSoundRows(use.stack.db)
  })

  it('delivers once when the worker that had claimed the start dies before its call arrives', async () => {
    const worker = await use.worker(BY_WORKFLOWS)
    worker.temporal.stall('toServer')
    await publish(use.tenant, use.eventId)
    const { id } = await deliveryOf(use.stack, use.eventId)
    await until(
      () => use.stack.db('outbox').where({ subject_id: id }).first(),
      (row: { lease_owner: string | null }) => row.lease_owner !== null,
    )
    await kill(worker)
    await use.worker(BY_WORKFLOWS)
    await deliveryWith(use.stack, use.eventId, ({ status }) => status === 'success')
    expect(await workflowOf(use.stack, id, ({ status }) => status.name === 'COMPLETED')).to.exist
    expect(use.stack.receiver.requestsTo(use.webhook.path)).to.have.length(1)
    await expectSoundRows(use.stack.db)
  })
})
