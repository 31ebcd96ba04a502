import { expect } from 'chai'
import { untilIs } from '../support/poll.ts'
import { answer } from '../support/raw-endpoint.ts'
import { useEndpointsOn } from '../support/stack-endpoints.ts'
import { useStack } from '../support/use-stack.ts'
import { createContact, createTestWebhook } from '../support/webhooks.ts'

describe('a slow 410', function () {
  this.timeout(60_000)
  const use = useStack()
  const endpoints = useEndpointsOn(use)

  const startSilent = () => endpoints.start((socket, index) => index > 0 && socket.write(answer(200)))

  /** A webhook whose first request has arrived at `url` and has no answer yet. */
  async function awaitFirstRequest() {
    const endpoint = await startSilent()
    const webhook = await createTestWebhook(use.stack, use.tenant, { url: endpoint.url })
    await createContact(use.tenant)
    await untilIs(() => endpoint.requests.length, 1)
    const patch = async (fields: object) => {
      const { status } = await use.tenant.request('PATCH', `/api-v1-webhooks/${webhook.id}`, fields)
      expect(status).to.equal(200)
    }
    const answerGone = () => endpoint.sockets[0]!.write(answer(410))
    return { webhook, patch, answerGone }
  }

  // decision: A slow 410
  it('of the former URL does not deactivate a webhook that was pointed elsewhere', async () => {
    const { webhook, patch, answerGone } = await awaitFirstRequest()
    const other = await endpoints.start((socket) => socket.write(answer(200)))
    await patch({ url: other.url })
    answerGone()
    expect(await webhook.delivery('success')).to.include({ attempts: 2, response_code: 200 })
    expect(await webhook.get()).to.include({ is_active: true, deactivated_reason: null })
  })

  // decision: A slow 410
  it('from before its activation does not deactivate a webhook again', async () => {
    const { webhook, patch, answerGone } = await awaitFirstRequest()
    await patch({ is_active: false })
    await patch({ is_active: true })
    answerGone()
    expect(await webhook.delivery('success')).to.include({ attempts: 2, response_code: 200 })
    expect(await webhook.get()).to.include({ is_active: true, deactivated_reason: null })
  })
})
