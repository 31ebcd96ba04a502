import { expect } from 'chai'
import { startHeldEndpoint } from '../support/held-endpoint.ts'
import { useEndpointsOn } from '../support/stack-endpoints.ts'
import { useStack } from '../support/use-stack.ts'
import { createContact, createTestWebhook } from '../support/webhooks.ts'

describe('a slow 410', function () {
  this.timeout(60_000)
  const use = useStack()
  const endpoints = useEndpointsOn(use)

  // decision: A slow 410
  it('of the former URL does not deactivate a webhook that was pointed elsewhere', async () => {
    const [gone, other] = [await startHeldEndpoint(endpoints), await startHeldEndpoint(endpoints)]
    other.answerAll(200)
    const webhook = await createTestWebhook(use.stack, use.tenant, { url: gone.url })
    await createContact(use.tenant)
    await gone.arrived(1)
    await use.tenant.request('PATCH', `/api-v1-webhooks/${webhook.id}`, { url: other.url })
    gone.answer(1, 410)
    expect(await webhook.delivery('success')).to.include({ attempts: 2, response_code: 200 })
    expect(await webhook.get()).to.include({ is_active: true, deactivated_reason: null })
  })
})
