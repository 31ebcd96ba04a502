import { expect } from 'chai'
import { rowWith } from '../../support/crashes.ts'
import { expectSoundRowsOf } from '../../support/invariants.ts'
import { untilIs } from '../../support/poll.ts'
import { useSuspension } from '../../support/suspension.ts'
import type { Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook, type TestWebhook } from '../../support/webhooks.ts'

describe('a suspended company', function () {
  this.timeout(60_000)
  const use = useStack()
  const { suspend, resume, cli, companyId } = useSuspension(use)
  const requests = ({ path }: TestWebhook) => use.stack.receiver.requestsTo(path).length
  const isParked = ({ parked_at }: Json) => parked_at !== null
  const hasFailed = ({ status }: Json) => status === 'failed'
  const show = (id: string) => cli('delivery', 'show', '--id', id)
  afterEach(() => expectSoundRowsOf(use))

  /** A delivery whose first attempt failed, and whose next one is due soon. */
  async function failOnce(fields: object = {}): Promise<{ webhook: TestWebhook; id: string }> {
    const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [2], ...fields })
    use.stack.receiver.behave(webhook.path, { failTimes: 1, status: 500 })
    await createContact(use.tenant)
    await untilIs(() => requests(webhook), 1)
    const { id } = (await webhook.deliveries())[0]
    return { webhook, id: id as string }
  }

  // decision: Suspended companies
  it('gets nothing sent while it waits for a retry, which goes out after the resumption', async () => {
    const { webhook, id } = await failOnce()
    await suspend()
    await rowWith(use.stack, id, isParked)
    const shown = await show(id)
    expect(shown).to.include({ status: 'retrying', held_reason: 'company_suspended', next_retry_at: null })
    expect(shown).to.include({ attempts: 1 })
    expect(requests(webhook)).to.equal(1)
    await cli('company', 'resume', '--id', companyId())
    expect(await webhook.delivery('success')).to.include({ attempts: 2, held_reason: null })
  })

  // decision: Suspended companies
  it('has a manual retry by the operator held, which is served after the resumption', async () => {
    const { webhook, id } = await failOnce({ max_retries: 0 })
    await rowWith(use.stack, id, hasFailed)
    await suspend()
    expect(await cli('delivery', 'retry', '--id', id)).to.include({
      message: 'Delivery queued for retry. It will be sent when the company is no longer suspended.',
    })
    await rowWith(use.stack, id, isParked)
    expect(requests(webhook)).to.equal(1)
    await resume()
    expect(await webhook.delivery('success')).to.include({ attempts: 2, max_attempts: 2 })
  })
})
