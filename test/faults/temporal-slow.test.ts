import { expect } from 'chai'
import { deliveryWith, isSuccess, TAKE_OVER_MS } from '../support/crashes.ts'
import { BY_WORKFLOWS } from '../support/first-attempts.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { readMetric } from '../support/running-parts.ts'
import { untilIs } from '../support/poll.ts'
import { createTcpProxyTo } from '../support/tcp-proxy.ts'
import { useStack } from '../support/use-stack.ts'
import { createTestWebhook, publishMany } from '../support/tenants.ts'

/** All connect at once. On a busy machine more of them could exceed the time limit of a connection. */
const EVENTS = 30
/** Longer than the deadline of a call to Temporal. */
const DELAY_MS = 5_500

describe('a Temporal that is slow', function () {
  this.timeout(150_000)
  const use = useStack({
    workers: 0,
    environment: { ...BY_WORKFLOWS, WEBHOOK_TIMEOUT: '20s', WEBHOOK_CONCURRENCY: '100', LOG_LEVEL: 'debug' },
    mayLogErrors: true,
  })

  it('gets one call at a time in place of one for each row, and all calls once it answers in time', async () => {
    const { stack, tenant } = use
    const webhook = await createTestWebhook(stack, tenant)
    const proxy = await createTcpProxyTo(stack.environment['TEMPORAL_ADDRESS']!)
    const worker = await stack.startWorker({ TEMPORAL_ADDRESS: proxy.address })
    const isSlow = () => readMetric(worker, 'webhook_temporal_slow')
    try {
      expect(await isSlow()).to.equal(0)
      proxy.delay(DELAY_MS)
      const ids = await publishMany(tenant, EVENTS)
      await untilIs(isSlow, 1, { withinMs: TAKE_OVER_MS })
      await proxy.pass()
      await untilIs(isSlow, 0, { withinMs: TAKE_OVER_MS })
      for (const id of ids) expect(await deliveryWith(stack, id, isSuccess)).to.include({ attempts: 1 })
      expect(webhook.requests()).to.have.length(EVENTS)
      await expectSoundRows(stack.db)
      for (const message of ['Temporal is slow or away', 'Temporal answers again'])
        expect(worker.output().split(message), message).to.have.length(2)
    } finally {
      await worker.stop()
      await proxy.stop()
    }
  })
})
