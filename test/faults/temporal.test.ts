// Also on MySQL with direct attempts: it matters who makes the attempt that a crash cuts.
import { expect } from 'chai'
import {
  deliveryWith,
  isSuccess,
  newEventId,
  publish,
  QUICK_LEASES,
  TAKE_OVER_MS,
} from '../support/crashes.ts'
import { BY_WORKFLOWS } from '../support/first-attempts.ts'
import { requiredEnv } from '../support/environment.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { readMetric } from '../support/metrics.ts'
import { until } from '../support/poll.ts'
import { untilReadinessIs } from '../support/readiness.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { createTcpProxyTo, type TcpProxy } from '../support/tcp-proxy.ts'
import type { TestTenant } from '../support/tenants.ts'
import { createTestWebhook, type TestWebhook } from '../support/webhooks.ts'

describe('Temporal lost while running', function () {
  this.timeout(120_000)
  let stack: Stack
  let proxy: TcpProxy
  let client: TestTenant
  let webhook: TestWebhook
  before(async () => {
    proxy = await createTcpProxyTo(requiredEnv('TEMPORAL_ADDRESS'))
    stack = await startStack({
      environment: { ...QUICK_LEASES, ...BY_WORKFLOWS, TEMPORAL_ADDRESS: proxy.address },
      mayLogErrors: true,
    })
    client = await stack.tenant()
    webhook = await createTestWebhook(stack, client)
  })
  after(async () => {
    await stack.stop()
    await proxy.close()
  })

  const FAULTS: [string, () => Promise<void> | void][] = [
    ['refuses connections', () => proxy.refuse()],
    ['hangs', () => proxy.stall()],
  ]
  for (const [what, break_] of FAULTS) {
    it(`takes every publish while it ${what}, and delivers once it is back`, async () => {
      stack.receiver.behave(webhook.path, undefined)
      const before = stack.receiver.requestsTo(webhook.path).length
      await break_()
      const ids = Array.from({ length: 20 }, newEventId)
      const startedMs = Date.now()
      for (const id of ids) expect((await publish(client, id)).status).to.equal(201)
      expect(Date.now() - startedMs).to.be.below(5_000)
      await untilReadinessIs(stack.workers[0]!, 503)
      // The relay has met the fault: it gave a row back after its call had failed.
      await until(
        () => stack.db('outbox').max({ tries: 'tries' }).first(),
        (row: { tries?: number } | undefined) => (row?.tries ?? 0) > 0,
        { withinMs: TAKE_OVER_MS },
      )
      await proxy.pass()
      for (const id of ids) expect(await deliveryWith(stack, id, isSuccess)).to.include({ attempts: 1 })
      expect(stack.receiver.requestsTo(webhook.path).length - before).to.equal(ids.length)
      await untilReadinessIs(stack.workers[0]!, 200)
      await expectSoundRows(stack.db)
    })
  }

  it('answers a test event with 503 in time and closes its delivery', async () => {
    await proxy.refuse()
    const startedMs = Date.now()
    const answer = await client.request('POST', `/api-v1-webhooks/${webhook.id}/test`)
    await proxy.pass()
    expect([answer.status, answer.body.error.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE'])
    expect(Date.now() - startedMs).to.be.below(6_000)
    const [row] = await stack.db('deliveries').where({ event_type: 'test.webhook' })
    expect(row).to.include({ status: 'failed', closed_reason: 'test_unanswered' })
    const line = `"delivery_id":"${row.id}"[^\n]*"reason":"test_unanswered","msg":"delivery failed"`
    await until(
      () => stack.api.output(),
      (output) => new RegExp(line).test(output),
      { what: 'a line about the delivery that failed' },
    )
    const labels = { outcome: 'failed', reason: 'test_unanswered' }
    expect(await readMetric(stack.api, 'webhook_deliveries_closed_total', labels)).to.equal(1)
  })
})
