import { expect } from 'chai'
import { becomeDue, countQueued, whileFailuresAreForgotten } from '../support/due-deliveries.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { readMetrics } from '../support/running-parts.ts'
import { until, untilAtLeast, untilThere } from '../support/poll.ts'
import { type TestTenant, createTestWebhook, publishMany, type TestWebhook } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'

const RETRIES = 70
const SLOTS = 10
/** Events of a neighbour that arrive during the wait. */
const NEIGHBOURS = 5

describe('retries of an endpoint that hangs when they are due', function () {
  this.timeout(120_000)
  const use = useStack({ environment: { WEBHOOK_TIMEOUT: '3s', SHUTDOWN_GRACE: '5s' } })

  /** Publishes events of the type and waits for their first attempts. Returns the ids of the webhook's deliveries. */
  async function publish(
    tenant: TestTenant,
    webhook: TestWebhook,
    count: number,
  ): Promise<readonly string[]> {
    const made = use.stack.db('deliveries').where({ webhook_id: webhook.id }).where('attempts', '>', 0)
    const limits = { withinMs: 60_000, what: 'the first attempts' }
    await publishMany(tenant, count)
    return untilThere(() => made.clone().pluck<string[]>('id'), count, limits)
  }

  const figures = async () => {
    const read = await readMetrics(use.stack.workers[0]!)
    return {
      wakes: read('webhook_relay_commands_total', { kind: 'due' }),
      put: read('webhook_attempts_deferred_total', { reason: 'slots' }),
      attempts: read('webhook_attempts_total'),
    }
  }

  it('cost one row each while they wait, wake nobody, hold back no neighbour, and are all made, each once, when it is well again', function () {
    return whileFailuresAreForgotten(use.stack, async () => {
      const { stack, tenant } = use
      const hung = await createTestWebhook(stack, tenant, { retry_schedule: [600] })
      const neighbour = await stack.tenant()
      const healthy = await createTestWebhook(stack, neighbour, { events: ['deal.created'] })
      hung.behave({ status: 500 })
      const ids = await publish(tenant, hung, RETRIES)
      hung.behave({ hang: true })
      const beginning = await figures()
      await becomeDue(stack, ids)
      await untilAtLeast(
        async () => (await countQueued(stack, hung.id)) + (await figures()).attempts - beginning.attempts,
        RETRIES - SLOTS,
        { withinMs: 60_000, what: 'all retries in the queue, on the wire or made' },
      )
      const before = await figures()
      const startedMs = performance.now()
      for (let event = 1; event <= NEIGHBOURS; event++) {
        await neighbour.request('POST', '/api-v1-events', { event: 'deal.created', data: {} })
        await stack.receiver.waitFor(healthy.path, event, { timeoutMs: 30_000 })
      }
      const eachMs = (performance.now() - startedMs) / NEIGHBOURS
      expect(await countQueued(stack, hung.id), 'retries that wait longer than the neighbour').to.be.above(0)
      const countMade = async () => (await figures()).attempts - before.attempts - NEIGHBOURS
      await until(countMade, (made) => made >= 2 * SLOTS, { withinMs: 60_000, what: 'attempts of the queue' })
      const after = await figures()
      const attempts = after.attempts - before.attempts
      const wakes = after.wakes - before.wakes
      this.runnable().title += ` (${eachMs.toFixed(0)} ms for an event of the neighbour; ${wakes} wake-ups, ${attempts} attempts)`
      const put = after.put - before.put
      // A wake-up either makes an attempt, possibly still on the wire, or finds that a neighbour's event took the slot.
      expect(wakes, 'wake-ups').to.be.at.most(attempts + put + SLOTS)
      expect(put, 'attempts that found no slot').to.be.at.most(attempts / 2)

      hung.behave()
      const made = () => stack.db('deliveries').where({ webhook_id: hung.id, attempts: 2 })
      await untilThere(made, RETRIES, { withinMs: 60_000, what: 'their second attempts' })
      expect(hung.requests()).to.have.length.at.most(2 * RETRIES)
      expect(await countQueued(stack, hung.id)).to.equal(0)
      await expectSoundRows(stack.db)
    })
  })
})
