import { expect } from 'chai'
import { rowWith } from '../../support/crashes.ts'
import { becomeDue, setDue } from '../../support/due-deliveries.ts'
import { makersOf } from '../../support/first-attempts.ts'
import { countRunning } from '../../support/lock-waits.ts'
import { useHeldDeliveries } from '../../support/stack-endpoints.ts'
import { expectSoundRowsOf } from '../../support/invariants.ts'
import { untilAtLeast } from '../../support/poll.ts'
import { useSuspension } from '../../support/suspension.ts'
import { type Json, createContact, createTestWebhook, deliver } from '../../support/tenants.ts'
import { useStack, type StackInUse } from '../../support/use-stack.ts'

/** The deliveries of the test with many: 24 that arrive, and 16 that fail. */
const ATTEMPTS = 40

/** The same races for both ways to a first attempt. */
function races(use: StackInUse): void {
  const { suspend, resume, setActive, companyId, cli } = useSuspension(use)
  const deliverHeld = useHeldDeliveries(use)
  afterEach(() => expectSoundRowsOf(use))

  /** Makes the next attempt of a delivery due now, by its workflow or directly. */
  async function hasten(id: string): Promise<void> {
    await setDue(use.stack, [id])
    const columns = { available_at: use.stack.db.raw('NOW(3)') }
    const isDirect = (await use.stack.set('outbox', { subject_id: id, kind: 'start' }, columns)) > 0
    if (!isDirect) await becomeDue(use.stack, [id])
  }

  it('sends at once when the company is resumed between the gate and the parking', async () => {
    // Soon enough for a direct retry, and late enough for the suspension to come first.
    const { webhook, id } = await deliver(use, 'retrying', { retry_schedule: [8] }, { failTimes: 1 })
    await suspend()
    await use.stack.db.transaction(async (resumption) => {
      await resumption('companies').where({ id: companyId() }).update({ suspended_at: null })
      await hasten(id)
      // The gate saw the suspended company. The parking waits for the lock.
      const isParking = `companies%${webhook.id}%LOCK IN SHARE MODE`
      await untilAtLeast(() => countRunning(use.stack.db, isParking), 1, { what: 'a parking that waits' })
    })
    expect(await webhook.delivery('success')).to.include({ attempts: 2 })
    expect(webhook.requests()).to.have.length(2)
  })

  for (const [status, what] of [
    [500, 'holds the next one, which a workflow makes after the resumption'],
    [200, 'keeps its success'],
  ] as const)
    // decision: Suspended companies
    it(`lets the attempt end that is on the wire, and ${what}`, async () => {
      const { endpoint, webhook, id } = await deliverHeld({ retry_schedule: [1] })
      await suspend()
      endpoint.answer(1, status)
      const isOver = (row: Json) => row.status === 'success' || row.parked_at !== null
      expect(await rowWith(use.stack, id, isOver)).to.include({ attempts: 1 })
      expect(endpoint.requests).to.have.length(1)
      const held_reason = status === 500 ? 'company_suspended' : null
      const shown = await cli('delivery', 'show', '--id', id)
      expect({ next_retry_at: null, ...shown }).to.include({ held_reason, next_retry_at: null })
      endpoint.answerAll(200)
      await resume()
      expect(await webhook.delivery('success')).to.include({ attempts: status === 200 ? 1 : 2 })
      if (status === 500) expect((await makersOf(use.stack, id)).at(-1)).to.equal('workflow')
    })

  it('loses and doubles nothing while it is suspended and resumed quickly, and webhooks are switched too', async () => {
    const making = [1, 2].map(() => createTestWebhook(use.stack, use.tenant, { retry_schedule: [1] }))
    const webhooks = await Promise.all(making)
    for (const { path } of webhooks) use.stack.receiver.behave(path, { failTimes: 8, status: 500 })
    await Promise.all(Array.from({ length: 12 }, () => createContact(use.tenant)))
    const arrived = () => webhooks.reduce((sum, webhook) => sum + webhook.requests().length, 0)
    for (let round = 0; round < 8; round++) {
      await suspend()
      if (round % 2 === 1) await setActive(webhooks[1]!.id, true)
      await resume()
      if (round % 2 === 0) await setActive(webhooks[1]!.id, false)
      // Suspend again when an attempt is on the wire, while open deliveries are left.
      else await untilAtLeast(arrived, Math.min(arrived() + 1, ATTEMPTS), { withinMs: 30_000 })
    }
    for (const webhook of webhooks) {
      const all = await webhook.delivered(12, { withinMs: 30_000 })
      const attempts = all.reduce<number>((sum, one) => sum + Number(one.attempts), 0)
      expect([attempts, webhook.requests().length]).to.deep.equal([20, 20])
    }
  })
}

describe('a company that is suspended while its deliveries are under way', function () {
  this.timeout(90_000)
  const use = useStack()
  races(use)

  describe('where first attempts are direct', () => races(useStack('direct')))
})
