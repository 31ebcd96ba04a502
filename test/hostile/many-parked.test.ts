import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { expectSoundRows } from '../support/invariants.ts'
import { insertManyDeliveries } from '../support/many-rows.ts'
import { useStack } from '../support/use-stack.ts'
import { createContact, createTestWebhook, type TestWebhook } from '../support/webhooks.ts'

const PARKED = 30_000
/** An activation that took one claim of 100 deliveries every 500 ms would take 150 s. */
const WITHIN_MS = 60_000
/** Alone, an event reaches its endpoint in some ten milliseconds. */
const NEIGHBOUR_WITHIN_MS = 2_000

describe('a webhook that is activated with 30,000 parked deliveries', function () {
  this.timeout(150_000)
  // Its endpoint hangs for the whole test, so what left the park stays in the outbox, where it can be counted.
  const use = useStack({ processes: true, environment: { WEBHOOK_TIMEOUT: '120s', SHUTDOWN_GRACE: '1s' } })
  const count = async (query: Promise<unknown>) => ((await query) as { n: number }[])[0]!.n
  const parked = (webhookId: string) =>
    count(
      use.stack.db('deliveries').where({ webhook_id: webhookId }).whereNotNull('parked_at').count('* as n'),
    )

  /** Publishes one event of the neighbour, and gives how long it took to arrive. */
  async function arrivalMs(webhook: TestWebhook): Promise<number> {
    const startedMs = performance.now()
    const before = use.stack.receiver.requestsTo(webhook.path).length
    await createContact(neighbour)
    await use.stack.receiver.waitFor(webhook.path, before + 1, { timeoutMs: 30_000 })
    return performance.now() - startedMs
  }
  let neighbour: typeof use.tenant

  // decision: Deleting or activating a webhook
  it('queues each of them once, while the new events of a neighbour are delivered', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { is_active: false })
    use.stack.receiver.behave(webhook.path, { hang: true })
    const { tenant } = use.tenant
    await insertManyDeliveries(use.stack.db, PARKED, { tenant, webhookId: webhook.id }, 'parked')
    neighbour = await use.stack.tenant()
    const other = await createTestWebhook(use.stack, neighbour)
    await arrivalMs(other)

    const startedMs = Date.now()
    await use.tenant.request('PATCH', `/api-v1-webhooks/${webhook.id}`, { is_active: true })
    const arrivals: number[] = []
    while ((await parked(webhook.id)) > 0 && Date.now() - startedMs < WITHIN_MS) {
      arrivals.push(await arrivalMs(other))
      await delay(100)
    }
    expect(await parked(webhook.id)).to.equal(0)
    expect(arrivals).to.have.length.above(5)
    expect(Math.max(...arrivals)).to.be.below(NEIGHBOUR_WITHIN_MS)

    const lanes = [webhook.id, `${webhook.id}+`]
    const queued: string[] = await use.stack.db('outbox').whereIn('lane', lanes).pluck('subject_id')
    const sent = use.stack.receiver.requestsTo(webhook.path).map(({ headers }) => headers['webhook-id'])
    const onTheWire: string[] = await use.stack
      .db('deliveries')
      .whereIn('event_id', sent as string[])
      .pluck('id')
    expect(new Set(queued).size, 'queued').to.equal(queued.length)
    expect(new Set(sent).size, 'sent').to.equal(sent.length)
    expect(new Set([...queued, ...onTheWire]).size, 'queued or sent').to.equal(PARKED)
    await expectSoundRows(use.stack.db)
  })
})
