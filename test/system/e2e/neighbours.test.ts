// Also on MySQL with direct attempts: it matters who makes the first attempt.
import { expect } from 'chai'
import { startHeldEndpoint } from '../../support/held-endpoint.ts'
import { until } from '../../support/poll.ts'
import { useEndpointsOn } from '../../support/stack-endpoints.ts'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook } from '../../support/webhooks.ts'

describe('a company whose endpoints all hang', function () {
  this.timeout(60_000)
  const WEBHOOKS = 45
  /** Makes 360 deliveries, more than the 320 slots of the worker. */
  const EVENTS = 8
  /** Half of the slots of a worker: the other half is free for others. */
  const MOST = 160
  /**
   * A claim counts the free slots before it asks the database. An attempt whose reservation has lapsed meanwhile may take one of
   * them, so a company has a few more or less on a busy machine.
   */
  const A_FEW = 8
  // Hung attempts stay on the wire until the test lets them go: nobody gets a slot because one of them ended.
  const use = useStack({ environment: { WEBHOOK_TIMEOUT: '60s' } })
  const endpoints = useEndpointsOn(use)

  // decision: Slots of a company
  it('leaves room for another company, though its backlog could fill the worker', async () => {
    const endpoint = await startHeldEndpoint(endpoints)
    await Promise.all(
      Array.from({ length: WEBHOOKS }, () => createTestWebhook(use.stack, use.tenant, { url: endpoint.url })),
    )
    await Promise.all(Array.from({ length: EVENTS }, () => createContact(use.tenant)))
    const isFull = (count: number) => count >= MOST - A_FEW
    const what = 'attempts in all slots of the company'
    await until(() => endpoint.requests.length, isFull, { withinMs: 40_000, what })

    const neighbour = await use.stack.tenant()
    const webhook = await createTestWebhook(use.stack, neighbour)
    await createContact(neighbour)
    expect(await webhook.delivery('success')).to.include({ attempts: 1 })
    expect(await use.stack.db('attempts'), 'attempts that ended').to.have.length(1)
    expect(endpoint.requests).to.have.length.at.most(MOST + A_FEW)
    endpoint.answerAll(200)
  })
})
