import type { WorkflowFailedError } from '@temporalio/client'
import { expect } from 'chai'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook, type TestWebhook } from '../../support/webhooks.ts'

describe('the workflow of a failed delivery', () => {
  const use = useStack()

  /** How the workflow of the webhook's only delivery failed, once it has. */
  async function failureOf(webhook: TestWebhook): Promise<Error & { type?: string }> {
    await createContact(use.tenant)
    const { id } = await webhook.delivery('failed')
    return resultOf(id as string)
  }
  const resultOf = (id: string): Promise<Error & { type?: string }> =>
    use.stack.temporal.workflow
      .getHandle(id)
      .result()
      .then(
        () => new Error('it did not fail'),
        (error: unknown) => (error as WorkflowFailedError).cause!,
      )

  // decision: A failed delivery's workflow ends as Failed
  it('says with which status and after how many attempts it failed', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 2 })
    use.stack.receiver.behave(webhook.path, { status: 500, body: 'a body with a secret' })
    const failure = await failureOf(webhook)
    expect([failure.message, failure.type]).to.deep.equal(['http_500 after 3 attempts', 'DeliveryFailed'])
  })

  // decision: A failed delivery's workflow ends as Failed
  it('says why no answer came', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 0 })
    use.stack.receiver.behave(webhook.path, { hang: true })
    expect((await failureOf(webhook)).message).to.equal('response_timeout after 1 attempt')
  })

  // decision: A failed delivery's workflow ends as Failed
  it('holds no address, body or secret, in any event of its history', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 1 })
    use.stack.receiver.behave(webhook.path, { status: 502, body: 'a body with a secret' })
    await createContact(use.tenant)
    const { id } = await webhook.delivery('failed')
    expect((await resultOf(id as string)).message).to.equal('http_502 after 2 attempts')
    const history = JSON.stringify(await use.stack.temporal.workflow.getHandle(id as string).fetchHistory())
    for (const text of [
      webhook.path,
      webhook.secret,
      'a body with a secret',
      'https://',
      '/src/',
      '/dist/',
    ]) {
      expect(history, text).to.not.include(
        Buffer.from(text).toString('base64').replace(/=+$/, '').slice(0, -2),
      )
      expect(history, text).to.not.include(text)
    }
  })

  it('is no warning in the log of the worker', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 0 })
    use.stack.receiver.behave(webhook.path, { status: 500 })
    expect((await failureOf(webhook)).message).to.equal('http_500 after 1 attempt')
    const lines = use.stack.workers.flatMap((worker) => worker.output().split('\n'))
    expect(lines.filter((line) => line.includes('Workflow failed'))).to.deep.equal([])
  })
})
