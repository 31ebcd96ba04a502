import { expect } from 'chai'
import { until } from '../support/poll.ts'
import type { ApiAnswer } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'
import { createTestWebhook } from '../support/webhooks.ts'

describe('test events to endpoints that hang', function () {
  this.timeout(60_000)
  // Hung tests last as long as the test: a place gets free only when the test lets it.
  const use = useStack({ environment: { WEBHOOK_TIMEOUT: '8s', SHUTDOWN_GRACE: '1s' } })

  // decision: Test events wait two at a time for a webhook and four for a company
  it('wait two at a time for a webhook and four for a company, the rest is refused at once, and neighbours go on', async () => {
    const { stack, tenant } = use
    const webhooks = await Promise.all([1, 2, 3].map(() => createTestWebhook(stack, tenant)))
    for (const { path } of webhooks) stack.receiver.behave(path, { hang: true })
    const hung = () => webhooks.flatMap(({ path }) => stack.receiver.requestsTo(path)).length
    let open = 0
    const refusals: ApiAnswer[] = []
    const ask = async (id: string) => {
      open += 1
      const answer = await tenant.request('POST', `/api-v1-webhooks/${id}/test`)
      open -= 1
      if (answer.status === 429) refusals.push(answer)
      return answer
    }
    const asked = webhooks.flatMap(({ id }) => Array.from({ length: 10 }, () => ask(id)))
    await until(
      () => open,
      (count) => count <= 4,
      { what: 'refusals while the others hang' },
    )
    await until(hung, (count) => count === 4)
    expect(refusals).to.have.length(26)
    for (const { body, headers } of refusals) {
      expect(body.error.code).to.equal('RATE_LIMITED')
      expect(body.error.message).to.match(
        /^(2 test events of this webhook|4 test events of this company) already wait/,
      )
      expect(headers.get('retry-after')).to.equal('5')
    }

    const neighbour = await stack.tenant()
    const own = await createTestWebhook(stack, neighbour)
    const tested = await neighbour.request('POST', `/api-v1-webhooks/${own.id}/test`)
    expect(tested.body.data).to.include({ success: true })
    expect(open, 'tests that still hang').to.equal(4)

    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).to.have.length(4)
    expect(hung(), 'requests to the hung endpoints').to.equal(4)
    for (const { path } of webhooks) stack.receiver.behave(path, { status: 200 })
    expect((await ask(webhooks[0]!.id)).body.data, 'once places are free').to.include({ success: true })
  })
})
