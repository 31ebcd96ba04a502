import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { hasWorkflow, makersOf } from '../../support/first-attempts.ts'
import { expectSoundRowsOf } from '../../support/invariants.ts'
import { until } from '../../support/poll.ts'
import { useSuspension } from '../../support/suspension.ts'
import type { Json } from '../../support/tenants.ts'
import { useStack, type StackInUse } from '../../support/use-stack.ts'
import { createContact, createTestWebhook, type TestWebhook } from '../../support/webhooks.ts'

/** The same races whoever makes first attempts. */
function races(use: StackInUse): void {
  const { suspend, resume, setActive, companyId } = useSuspension(use)
  const requests = ({ path }: TestWebhook) => use.stack.receiver.requestsTo(path)
  const rows = ({ id }: TestWebhook) =>
    use.stack.db('deliveries').where({ webhook_id: id }) as Promise<Json[]>
  afterEach(() => expectSoundRowsOf(use))

  it('sends at once when the company is resumed between the gate and the parking', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [1] })
    use.stack.receiver.behave(webhook.path, { failTimes: 1, status: 500 })
    await createContact(use.tenant)
    await until(
      () => rows(webhook),
      ([row]) => row.attempts === 1,
    )
    await suspend()
    const isParking = (sql: string) =>
      sql.includes(webhook.id) && /companies[^]*LOCK IN SHARE MODE$/.test(sql)
    await use.stack.db.transaction(async (resumption) => {
      await resumption('companies').where({ id: companyId() }).update({ suspended_at: null })
      // The gate saw the company suspended; the parking waits for the lock.
      await until(
        () => use.stack.db('information_schema.processlist').select('info'),
        (running: Json[]) => running.some(({ info }) => isParking(String(info))),
        { what: 'a parking that waits for the lock' },
      )
    })
    expect(await webhook.delivery('success')).to.include({ attempts: 2 })
    expect(requests(webhook)).to.have.length(2)
  })

  it('loses and doubles nothing while it is suspended and resumed quickly, and webhooks are switched too', async () => {
    const webhooks = await Promise.all(
      [1, 2].map(() => createTestWebhook(use.stack, use.tenant, { retry_schedule: [1] })),
    )
    for (const { path } of webhooks) use.stack.receiver.behave(path, { failTimes: 8, status: 500 })
    await Promise.all(Array.from({ length: 12 }, () => createContact(use.tenant)))
    for (let change = 0; change < 16; change++) {
      await (change % 2 === 0 ? suspend() : resume())
      if (change % 4 === 1) await setActive(webhooks[1]!.id, false)
      if (change % 4 === 2) await setActive(webhooks[1]!.id, true)
      await delay(40 + ((change * 37) % 90))
    }
    for (const webhook of webhooks) {
      const all = await until(
        () => rows(webhook),
        (found) => found.length === 12 && found.every(({ status }) => status === 'success'),
        { withinMs: 30_000, what: 'the end of every delivery' },
      )
      const attempts = all.map((row) => Number(row.attempts)).reduce((sum, made) => sum + made, 0)
      expect([attempts, requests(webhook).length]).to.deep.equal([20, 20])
    }
  })
}

describe('a company that is suspended while its deliveries are under way', function () {
  this.timeout(90_000)
  races(useStack())

  describe('where workers make first attempts themselves', () => {
    const use = useStack('direct')
    races(use)

    // decision: Suspended companies
    it('has the next attempt held after the hand-over to a workflow, which makes it after the resumption', async () => {
      const { suspend, resume } = useSuspension(use)
      const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [1] })
      use.stack.receiver.behave(webhook.path, { failTimes: 1, status: 500, delayMs: 300 })
      await createContact(use.tenant)
      await use.stack.receiver.next(webhook.path)
      await suspend()
      const [{ id }] = await use.stack.db('deliveries').where({ webhook_id: webhook.id })
      await until(
        () => use.stack.db('deliveries').where({ id }).first() as Promise<Json>,
        ({ parked_at }) => parked_at !== null,
      )
      expect(await hasWorkflow(use.stack, id as string)).to.equal(true)
      await resume()
      expect(await webhook.delivery('success')).to.include({ attempts: 2 })
      expect(await makersOf(use.stack, id as string)).to.deep.equal(['worker', 'workflow'])
    })
  })
})
