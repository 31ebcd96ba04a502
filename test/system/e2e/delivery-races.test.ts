// Also on MySQL with direct attempts: it matters who makes the first attempt.
import { expect } from 'chai'
import { outboxRows } from '../../support/crashes.ts'
import { expectSoundRowsOf } from '../../support/invariants.ts'
import { until } from '../../support/poll.ts'
import { type Json, createContact, createTestWebhook, deliver } from '../../support/tenants.ts'
import { usePart, useStack } from '../../support/use-stack.ts'

describe('what happens to a delivery at the same time as its attempts', () => {
  const use = useStack({ workers: 0 })
  const worker = usePart(() => use.stack.spawnWorker())

  afterEach(() => expectSoundRowsOf(use))

  it('keeps counters equal to the rows at every moment between accepting and the last attempt', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [1] })
    webhook.behave({ failTimes: 10, status: 500 })
    const contacts = Array.from({ length: 30 }, () => createContact(use.tenant))
    const delivered = Promise.all(contacts).then(() => webhook.delivered(30))
    const state = { isOver: false }
    void delivered.finally(() => (state.isOver = true))
    do await expectSoundRowsOf(use)
    while (!state.isOver)
    await delivered
    expect(webhook.requests()).to.have.length(40)
  })

  for (const [status, max_retries, maxAttempts] of [
    ['retrying', 5, 7],
    ['failed', 0, 2],
  ] as const)
    // decision: The same retry request
    it(`makes one attempt of twenty retries at once of a delivery that is ${status}`, async () => {
      const fields = { retry_schedule: [600], max_retries }
      const { webhook, id } = await deliver(use, status, fields, { status: 500 })
      // The worker stands still, so that it serves none of the commands before all are accepted.
      worker().kill('SIGSTOP')
      const answers = await Promise.all(Array.from({ length: 20 }, () => webhook.retry(id))).finally(() =>
        worker().kill('SIGCONT'),
      )
      expect(new Set(answers.map((answer) => answer.status))).to.deep.equal(new Set([200]))
      const isAttempted = ({ attempts }: Json) => attempts === 2
      const after = await until(async () => (await webhook.deliveries())[0], isAttempted)
      expect(after).to.include({ status, max_attempts: maxAttempts })
      // The relay serves commands in order, so a later command of the company shows that these are served.
      await outboxRows(use.stack, id, 0)
      expect(webhook.requests()).to.have.length(2)
    })

  it('makes every attempt once when retries arrive just as the automatic ones are due', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [1], max_retries: 1 })
    webhook.behave({ status: 500 })
    // Few enough that at most 16 attempts fail, because after 20 in a row the endpoint would get one at a time.
    await Promise.all(Array.from({ length: 4 }, () => createContact(use.tenant)))
    const waiting = await until(webhook.deliveries, (all) => all.every(({ attempts }) => attempts >= 1))
    await Promise.all(
      waiting.map(async ({ id, next_retry_at }, index) => {
        // On a busy machine the attempt may already have been made.
        const dueInMs = next_retry_at === null ? 0 : Date.parse(next_retry_at as string) - Date.now()
        await new Promise((resolve) => setTimeout(resolve, dueInMs - 100 + index * 50))
        expect((await webhook.retry(id)).status).to.equal(200)
      }),
    )
    const ended = await until(webhook.deliveries, (all) => all.every(({ status }) => status === 'failed'))
    const sum = ended.map(({ attempts }) => Number(attempts)).reduce((total, attempts) => total + attempts, 0)
    expect(webhook.requests()).to.have.length(sum)
    for (const { attempts } of ended) expect(attempts).to.be.at.least(3)
  })
})
