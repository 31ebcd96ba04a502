// Also on MySQL with direct attempts: it matters who makes the first attempt.
import { expect } from 'chai'
import { until } from '../../support/poll.ts'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook } from '../../support/webhooks.ts'

describe('a company whose endpoints all hang', function () {
  this.timeout(60_000)
  const WEBHOOKS = 45
  /** So many events are 360 deliveries, more than the worker has slots: 320. */
  const EVENTS = 8
  /** Half of the slots of a worker: the other half is free for others. */
  const MOST = 160
  /**
   * A claim counts the free slots before it asks the database. An attempt whose reservation has lapsed meanwhile may take one of
   * them, so a company has a few more or less on a busy machine.
   */
  const A_FEW = 8
  // Hung attempts stay on the wire for the whole test: nobody gets a slot because one of them ended. The end of the worker's
  // process cuts them.
  const use = useStack({ processes: true, environment: { WEBHOOK_TIMEOUT: '60s', SHUTDOWN_GRACE: '1s' } })

  // decision: Slots of a company
  it('leaves room for another company, though its backlog could fill the worker', async () => {
    const webhooks = await Promise.all(
      Array.from({ length: WEBHOOKS }, () => createTestWebhook(use.stack, use.tenant)),
    )
    for (const { path } of webhooks) use.stack.receiver.behave(path, { hang: true })
    const hung = () => webhooks.flatMap(({ path }) => use.stack.receiver.requestsTo(path)).length
    await Promise.all(Array.from({ length: EVENTS }, () => createContact(use.tenant)))
    const isFull = (count: number) => count >= MOST - A_FEW
    await until(hung, isFull, { withinMs: 40_000, what: 'attempts in all slots of the company' })

    const neighbour = await use.stack.tenant()
    const webhook = await createTestWebhook(use.stack, neighbour)
    await createContact(neighbour)
    expect(await webhook.delivery('success')).to.include({ attempts: 1 })
    expect(await use.stack.db('attempts'), 'attempts that ended').to.have.length(1)
    expect(hung()).to.be.at.most(MOST + A_FEW)
  })
})
