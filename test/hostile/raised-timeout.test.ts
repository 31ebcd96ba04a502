import { expect } from 'chai'
import { untilIs } from '../support/poll.ts'
import { answer } from '../support/raw-endpoint.ts'
import { useEndpointsOn } from '../support/stack-endpoints.ts'
import { useStack } from '../support/use-stack.ts'
import { createContact, createTestWebhook } from '../support/tenants.ts'

describe('a WEBHOOK_TIMEOUT that is raised while deliveries wait', function () {
  this.timeout(60_000)
  const use = useStack({ environment: { WEBHOOK_TIMEOUT: '1s', RECORDING_TIMEOUT: '3s' } })
  const endpoints = useEndpointsOn(use)

  // decision: A caller's time
  it('sends each of their attempts once, within the time that they were started with', async () => {
    const endpoint = await endpoints.start((socket, index) => index === 0 && socket.write(answer(500)))
    const fields = { url: endpoint.url, max_retries: 1, retry_schedule: [3] }
    const webhook = await createTestWebhook(use.stack, use.tenant, fields)
    await createContact(use.tenant)
    await webhook.delivery('retrying')
    await Promise.all(use.stack.workers.map((worker) => worker.stop()))
    await use.stack.startWorker({ WEBHOOK_TIMEOUT: '40s' })

    await untilIs(() => endpoint.requests.length, 2, { withinMs: 30_000 })
    const failed = await webhook.delivery('failed', { withinMs: 30_000 })
    expect(failed).to.include({ attempts: 2 })
    expect(endpoint.requests).to.have.length(2)
  })
})
