import { expect } from 'chai'
import { TAKE_OVER_MS } from '../support/crashes.ts'
import { BY_WORKFLOWS, DIRECT } from '../support/first-attempts.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { until } from '../support/poll.ts'
import { useStack } from '../support/use-stack.ts'
import { createTestWebhook, publishMany } from '../support/webhooks.ts'

describe('workers of which one makes direct attempts and one leaves first attempts to workflows', function () {
  this.timeout(120_000)
  // A busy machine must not make an answer late: a missed time limit rightly sends an event once more.
  const use = useStack({ workers: 0, environment: { WEBHOOK_TIMEOUT: '10s' } })

  // decision: Several workers
  it('deliver every event once, and retry every failure', async () => {
    const webhooks = await Promise.all(
      [1, 2, 3, 4].map(() => createTestWebhook(use.stack, use.tenant, { retry_schedule: [1] })),
    )
    const failing = webhooks[0]!
    use.stack.receiver.behave(failing.path, { failTimes: 20, status: 500 })
    await Promise.all([use.stack.startWorker(DIRECT), use.stack.startWorker(BY_WORKFLOWS)])
    const rounds = 5
    for (let round = 0; round < rounds; round++) await publishMany(use.tenant, 20)
    for (const webhook of webhooks) {
      await until(webhook.get, ({ successful_deliveries }) => successful_deliveries === 20 * rounds, {
        withinMs: TAKE_OVER_MS,
      })
      const sent = use.stack.receiver.requestsTo(webhook.path).map(({ headers }) => headers['webhook-id'])
      expect(new Set(sent).size).to.equal(20 * rounds)
      expect(sent).to.have.length(20 * rounds + (webhook === failing ? 20 : 0))
    }
    const makers = await use.stack.db('attempts').where({ number: 1 }).pluck('made_by')
    expect(new Set(makers)).to.deep.equal(new Set(['worker', 'workflow']))
    await expectSoundRows(use.stack.db)
    expect(await use.stack.db('outbox')).to.deep.equal([])
  })
})
