// Also on MySQL with direct attempts: it matters who makes the attempt that a crash cuts.
import { expect } from 'chai'
import { connect, type Db } from '../../src/db/connection/connection.ts'
import { describeWorkflow, newEventId, publish, QUICK_LEASES } from '../support/crashes.ts'
import type { DatabaseServer } from '../support/database-server.ts'
import { createServiceDatabase, launchDatabaseServer } from '../support/database-server.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { readMetric, type RunningPart, untilReadinessIs } from '../support/running-parts.ts'
import { until, untilIs } from '../support/poll.ts'
import { startHeldEndpoint, useEndpointsOn } from '../support/stack-endpoints.ts'
import { type Json, createTestWebhook } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'

describe('a database that becomes read-only under api and worker', function () {
  this.timeout(120_000)
  let server: DatabaseServer
  let root: Db
  before(async () => {
    server = await launchDatabaseServer()
    root = connect(`${server.url}mysql`, { poolSize: 1 })
  })
  const use = useStack({
    // The failing delivery has a workflow, even after a direct first attempt.
    environment: { ...QUICK_LEASES, DIRECT_RETRIES_WITHIN: '0' },
    mayLogErrors: true,
    database: () => createServiceDatabase(server, root),
  })
  after(async () => {
    await root.destroy()
    await server.stop()
  })

  const endpoints = useEndpointsOn(use)
  const processes = (): RunningPart[] => [use.stack.api, use.stack.workers[0]!]
  const complaints = () =>
    use.stack.workers[0]!.output()
      .split('\n')
      .filter((line) => /"level":"(warn|error|fatal)"/.test(line)).length
  const outOfTime = () =>
    readMetric(use.stack.workers[0]!, 'webhook_worker_faults_total', { reason: 'database' })
  const putOff = () =>
    readMetric(use.stack.workers[0]!, 'webhook_attempts_deferred_total', { reason: 'recording' })

  // decision: A database that takes no writes
  it('is reported by both and answered with 503, costs no attempt, and work continues by itself once it takes writes', async () => {
    const { stack, tenant } = use
    const failing = await createTestWebhook(stack, tenant, {
      url: stack.receiver.url('/failing'),
      // Its attempts must last until the database becomes read-only.
      max_retries: 10,
      retry_schedule: [2],
    })
    failing.behave({ status: 500 })
    expect((await publish(tenant, newEventId())).status).to.equal(201)
    // Its workflow must exist first. After a direct attempt the relay could start it only once writes work again.
    await failing.delivery('retrying')
    await untilIs(() => stack.count('outbox'), 0)
    const endpoint = await startHeldEndpoint(endpoints)
    const held = await createTestWebhook(stack, tenant, { url: endpoint.url })
    expect((await publish(tenant, newEventId())).status).to.equal(201)
    await endpoint.arrived(1)

    await root.raw('SET GLOBAL read_only = 1')
    endpoint.answerAll(200)
    const startedMs = performance.now()
    const complaintsBefore = complaints()
    const rows = () => stack.db('deliveries').select('id', 'status', 'attempts').orderBy('id')
    const rowsBefore = (await rows()) as Json[]
    for (const running of processes()) {
      const { parts } = await untilReadinessIs(running, 503)
      expect(parts).to.include({ database: true, database_writable: false, migrations: true })
    }
    const refused = await publish(tenant, newEventId())
    expect([refused.status, refused.body.error.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE'])
    expect(refused.headers.get('retry-after')).to.match(/^\d+$/)
    expect((await tenant.request('GET', '/api-v1-webhooks')).status).to.equal(200)
    // An activity ended without a record. The gate postponed the next one, which could have sent again.
    await until(outOfTime, (count) => count >= 1, { withinMs: 60_000 })
    await until(putOff, (count) => count >= 1, { withinMs: 60_000 })
    expect(await rows()).to.deep.equal(rowsBefore)
    const lines = complaints() - complaintsBefore
    expect(lines, 'lines of the worker').to.be.below(5 + (performance.now() - startedMs) / 1_000)

    failing.behave({ status: 200 })
    await root.raw('SET GLOBAL read_only = 0')
    for (const running of processes()) await untilReadinessIs(running, 200)
    const laterId = newEventId()
    expect((await publish(tenant, laterId)).status).to.equal(201)
    for (const [webhook, events, sent] of [
      [held, 2, () => endpoint.requests.length],
      [failing, 3, () => stack.receiver.requestsTo(failing.path).length],
    ] as const) {
      const delivered = await webhook.delivered(events, { withinMs: 90_000 })
      const recorded = delivered.reduce<number>((sum, { attempts }) => sum + (attempts as number), 0)
      expect(sent(), 'requests, each of which is recorded').to.equal(recorded)
      for (const { id } of delivered) {
        // A delivery with direct attempts only has no workflow.
        const run = await describeWorkflow(stack, id as string)
        expect(run?.status.name, 'its run, also after a fault of ours').to.not.equal('FAILED')
      }
    }
    await expectSoundRows(stack.db)
  })
})
