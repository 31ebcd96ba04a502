import { expect } from 'chai'
import { untilIs } from '../support/poll.ts'
import { startHeldEndpoint, useEndpointsOn } from '../support/stack-endpoints.ts'
import { type ApiAnswer, createTestWebhook, type TestWebhook } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'

describe('test events to endpoints that hang', function () {
  this.timeout(60_000)
  // No hanging attempt times out before the test releases it.
  const use = useStack({ environment: { WEBHOOK_TIMEOUT: '100s', SHUTDOWN_GRACE: '1s' } })
  const endpoints = useEndpointsOn(use)

  // decision: Test events wait two at a time for a webhook and four for a company
  it('wait two at a time for a webhook and four for a company, the rest is refused at once, and neighbours go on', async function () {
    const { stack, tenant } = use
    const endpoint = await startHeldEndpoint(endpoints)
    const making = [1, 2, 3].map(() => createTestWebhook(stack, tenant, { url: endpoint.url }))
    const webhooks = await Promise.all(making)
    let open = 0
    const refusals: ApiAnswer[] = []
    const ask = async ({ test }: TestWebhook) => {
      open += 1
      const answer = await test()
      open -= 1
      if (answer.status === 429) refusals.push(answer)
      return answer
    }
    const startedMs = performance.now()
    const asked = webhooks.flatMap((webhook) => Array.from({ length: 10 }, () => ask(webhook)))
    await untilIs(() => open, 4, { what: 'refusals while the others hang' })
    this.runnable().title += ` (26 refused in ${Math.round(performance.now() - startedMs)} ms)`
    await endpoint.arrived(4)
    expect(refusals).to.have.length(26)
    for (const { body, headers } of refusals) {
      expect(body.error.code).to.equal('RATE_LIMITED')
      const sentence = /^(2 test events of this webhook|4 test events of this company) already wait/
      expect(body.error.message).to.match(sentence)
      expect(headers.get('retry-after')).to.equal('5')
    }

    const tested = await (await createTestWebhook(stack, await stack.tenant())).test()
    expect(tested.body.data).to.include({ success: true })
    expect(open, 'tests that still hang').to.equal(4)
    expect(endpoint.requests).to.have.length(4)

    endpoint.answerAll(200)
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).to.have.length(4)
    expect((await ask(webhooks[0]!)).body.data, 'once places are free').to.include({ success: true })
  })
})
