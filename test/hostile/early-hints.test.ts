import { expect } from 'chai'
import { until } from '../support/poll.ts'
import { answer, head, writeForever } from '../support/raw-endpoint.ts'
import { useEndpointsOn } from '../support/stack-endpoints.ts'
import type { Json } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'
import { createContact, createTestWebhook } from '../support/webhooks.ts'

const HINTS = head(103, 'link: </style.css>; rel=preload').repeat(100)
const FLOODING = 10
const EVENTS = 3

describe('endpoints that answer with endless 103 Early Hints', function () {
  this.timeout(60_000)
  // A flood keeps this process busy, and a busy machine must not make the neighbour's answer late.
  const use = useStack({ environment: { WEBHOOK_TIMEOUT: '60s' } })
  const endpoints = useEndpointsOn(use)

  // decision: Answers without end
  it('fail at once for what they sent, and cost a neighbour beside them no attempt', async function () {
    const healthy = await endpoints.start((socket) => socket.write(answer(200, 'ok')))
    const hostile = await Promise.all(
      Array.from({ length: FLOODING }, () => endpoints.start((socket) => writeForever(socket, HINTS))),
    )
    const webhooks = await Promise.all(
      hostile.map(({ url }) => createTestWebhook(use.stack, use.tenant, { url, max_retries: 1 })),
    )
    const neighbour = await use.stack.tenant()
    const webhook = await createTestWebhook(use.stack, neighbour, { url: healthy.url })
    const startedMs = performance.now()
    for (let round = 0; round < EVENTS; round++) {
      await Promise.all([createContact(use.tenant), createContact(neighbour)])
    }

    const ended = (list: Json[], status: string) =>
      list.length === EVENTS && list.every((delivery) => delivery.status === status)
    const delivered = await until(
      () => webhook.deliveries('?limit=100'),
      (list) => ended(list, 'success'),
    )
    this.runnable().title += ` (it got ${EVENTS} events in ${Math.round(performance.now() - startedMs)} ms)`
    expect(delivered.map(({ attempts }) => attempts as number)).to.deep.equal(Array(EVENTS).fill(1))
    for (const flooded of webhooks) {
      await until(
        () => flooded.deliveries('?limit=100'),
        (list) => ended(list, 'failed'),
      )
    }
    const deliveries = use.stack
      .db('deliveries')
      .where({ company_id: use.tenant.tenant.companyId })
      .select('id')
    const attempts = (await use.stack
      .db('attempts')
      .whereIn('delivery_id', deliveries)
      .select('error')) as Json[]
    expect(new Set(attempts.map(({ error }) => error as string))).to.deep.equal(new Set(['protocol_error']))
    expect(attempts).to.have.length(FLOODING * EVENTS * 2)
  })
})
