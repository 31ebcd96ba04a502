import { expect } from 'chai'
import { expectSoundRows } from '../support/invariants.ts'
import { insertManyDeliveries } from '../support/many-rows.ts'
import { startHeldEndpoint, useEndpointsOn } from '../support/stack-endpoints.ts'
import { useStack } from '../support/use-stack.ts'
import { createContact, createTestWebhook } from '../support/tenants.ts'

const PARKED = 30_000
/** At one claim of 100 deliveries every 500 ms, an activation would take 150 s. */
const WITHIN_MS = 60_000

describe('a webhook that is activated with 30,000 parked deliveries', function () {
  this.timeout(150_000)
  // Its endpoint answers only at the end, so unparked deliveries stay in the outbox, where the test counts them.
  const use = useStack({ environment: { WEBHOOK_TIMEOUT: '200s' } })
  const endpoints = useEndpointsOn(use)
  const countParked = async (webhookId: string): Promise<number> => {
    const parked = use.stack.db('deliveries').where({ webhook_id: webhookId }).whereNotNull('parked_at')
    const [row] = await parked.count({ count: '*' })
    return Number(row!.count)
  }

  // decision: Deleting or activating a webhook
  it('queues each of them once, while the new events of a neighbour are delivered', async () => {
    const endpoint = await startHeldEndpoint(endpoints)
    const webhook = await createTestWebhook(use.stack, use.tenant, { url: endpoint.url, is_active: false })
    const { tenant } = use.tenant
    await insertManyDeliveries(use.stack.db, PARKED, { tenant, webhookId: webhook.id }, 'parked')
    const neighbour = await use.stack.tenant()
    const other = await createTestWebhook(use.stack, neighbour)

    const startedMs = Date.now()
    await webhook.change({ is_active: true })
    /** How many deliveries left the park between consecutive arrivals at the neighbour. */
    const between: number[] = []
    for (let left = PARKED; left > 0 && Date.now() - startedMs < WITHIN_MS;) {
      await createContact(neighbour)
      await use.stack.receiver.waitFor(other.path, between.length + 1, { timeoutMs: 30_000 })
      const now = await countParked(webhook.id)
      between.push(left - now)
      left = now
    }
    expect(await countParked(webhook.id)).to.equal(0)
    expect(between).to.have.length.above(5)
    expect(Math.max(...between)).to.be.below(PARKED / 2)

    const lanes = [webhook.id, `${webhook.id}+`]
    const queued: string[] = await use.stack.db('outbox').whereIn('lane', lanes).pluck('subject_id')
    const sent = endpoint.requests.map((request) => /^webhook-id: (\S+)/im.exec(request)![1]!)
    const onTheWire: string[] = await use.stack.db('deliveries').whereIn('event_id', sent).pluck('id')
    expect(new Set(queued).size, 'queued').to.equal(queued.length)
    expect(new Set(sent).size, 'sent').to.equal(sent.length)
    expect(new Set([...queued, ...onTheWire]).size, 'queued or sent').to.equal(PARKED)
    await expectSoundRows(use.stack.db)
    endpoint.answerAll(200)
  })
})
