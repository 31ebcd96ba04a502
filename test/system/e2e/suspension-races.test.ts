import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { rowWith } from '../../support/crashes.ts'
import { makersOf } from '../../support/first-attempts.ts'
import { startHeldEndpoint } from '../../support/held-endpoint.ts'
import { expectSoundRowsOf } from '../../support/invariants.ts'
import { until } from '../../support/poll.ts'
import { useEndpointsOn } from '../../support/stack-endpoints.ts'
import { useSuspension } from '../../support/suspension.ts'
import type { Json } from '../../support/tenants.ts'
import { useStack, type StackInUse } from '../../support/use-stack.ts'
import { createContact, createTestWebhook, type TestWebhook } from '../../support/webhooks.ts'

/** The same races whoever makes first attempts. */
function races(use: StackInUse): void {
  const { suspend, resume, setActive, companyId, cli } = useSuspension(use)
  const endpoints = useEndpointsOn(use)
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

  for (const [status, what] of [
    [500, 'holds the next one, which a workflow makes after the resumption'],
    [200, 'keeps its success'],
  ] as const) {
    // decision: Suspended companies
    it(`lets the attempt end that is on the wire, and ${what}`, async () => {
      const endpoint = await startHeldEndpoint(endpoints)
      const fields = { url: endpoint.url, retry_schedule: [1] }
      const webhook = await createTestWebhook(use.stack, use.tenant, fields)
      await createContact(use.tenant)
      await endpoint.arrived(1)
      await suspend()
      endpoint.answer(1, status)
      const isOver = (row: Json) => row.status === 'success' || row.parked_at !== null
      const [row] = await until(
        () => rows(webhook),
        (all) => all.every(isOver),
      )
      expect(row).to.include({ attempts: 1 })
      expect(endpoint.requests).to.have.length(1)
      const held_reason = status === 500 ? 'company_suspended' : null
      const shown = await cli('delivery', 'show', '--id', row.id as string)
      expect({ next_retry_at: null, ...shown }).to.include({ held_reason, next_retry_at: null })
      endpoint.answerAll(200)
      await resume()
      expect(await webhook.delivery('success')).to.include({ attempts: status === 200 ? 1 : 2 })
      if (status === 500) expect((await makersOf(use.stack, row.id as string)).at(-1)).to.equal('workflow')
    })
  }

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
  const use = useStack()
  races(use)
  const { suspend, resume, cli } = useSuspension(use)

  // decision: Suspended companies
  it('has a manual retry by the operator held, which is served after the resumption', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 0 })
    use.stack.receiver.behave(webhook.path, { failTimes: 1, status: 500 })
    await createContact(use.tenant)
    const { id } = await webhook.delivery('failed')
    await suspend()
    expect(await cli('delivery', 'retry', '--id', id)).to.include({
      message: 'Delivery queued for retry. It will be sent when the company is no longer suspended.',
    })
    await rowWith(use.stack, id as string, ({ parked_at }) => parked_at !== null)
    expect(use.stack.receiver.requestsTo(webhook.path)).to.have.length(1)
    await resume()
    expect(await webhook.delivery('success')).to.include({ attempts: 2, max_attempts: 2 })
  })

  describe('where first attempts are direct', () => races(useStack('direct')))
})
