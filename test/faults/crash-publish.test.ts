// Also on MySQL with direct attempts: it matters who makes the attempt that a crash cuts.
import { expect } from 'chai'
import { useCrashAtCommit } from '../support/crash-at-commit.ts'
import { deliveryOf, deliveryWith, isSuccess, kill, publish, workflowOf } from '../support/crashes.ts'
import { useCrashStack } from '../support/crash-stack.ts'
import { BY_WORKFLOWS } from '../support/first-attempts.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { until, untilIs } from '../support/poll.ts'
import type { TestTenant } from '../support/tenants.ts'

describe('crash between a publish and the start of its workflow', function () {
  this.timeout(90_000)
  const use = useCrashStack()
  const crashAtCommit = useCrashAtCommit(use)
  const publishing = {
    send: (client: TestTenant) => publish(client, use.eventId),
    statement: 'events (company_id',
  }
  const countOf = async (table: string): Promise<number> => {
    const rows: unknown[] = await use.stack.db(table).where({ company_id: use.tenant.tenant.companyId })
    return rows.length
  }
  afterEach(() => expectSoundRows(use.stack.db))

  it('leaves nothing when the api dies before its commit, and all of it after the repeat', async () => {
    await use.killWorkers()
    await crashAtCommit(publishing)
    for (const table of ['events', 'deliveries', 'outbox']) expect(await countOf(table), table).to.equal(0)
    expect((await publish(use.tenant, use.eventId)).status).to.equal(201)
    await use.worker()
    await deliveryWith(use.stack, use.eventId, isSuccess)
    expect(use.requests()).to.have.length(1)
  })

  it('has all of it when the api dies after its commit, and the repeat delivers nothing twice', async () => {
    await use.killWorkers()
    await crashAtCommit({ ...publishing, untilCommitted: () => deliveryOf(use.stack, use.eventId) })
    const repeat = await publish(use.tenant, use.eventId)
    expect([repeat.status, repeat.body.data.deliveries]).to.deep.equal([200, 1])
    await use.worker()
    await deliveryWith(use.stack, use.eventId, isSuccess)
    await untilIs(() => countOf('outbox'), 0)
    expect(use.requests()).to.have.length(1)
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
    await deliveryWith(use.stack, use.eventId, isSuccess)
    expect(await workflowOf(use.stack, id, ({ status }) => status.name === 'COMPLETED')).to.exist
    expect(use.requests()).to.have.length(1)
  })
})
