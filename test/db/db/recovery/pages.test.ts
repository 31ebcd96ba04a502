// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { FAILURES_THAT_STOP, mostUnderWay } from '../../../../src/domain/recovery/recovery.ts'
import { retryDelivery } from '../../../../src/operations/delivery/again.ts'
import { letRecoveryWait, wakeRecoveries } from '../../../../src/db/recovery/wakes.ts'
import { listFailed } from '../../../../src/db/recovery/failed-deliveries.ts'
import { readRecovery } from '../../../../src/db/recovery/rows.ts'
import { addToCounters } from '../../../../src/db/webhook/counters.ts'
import { expectSoundRows } from '../../../support/invariants.ts'
import { whileHeld } from '../../../support/lock-waits.ts'
import { countRowsRead } from '../../../support/rows-read.ts'
import { useRecoveries } from '../../../support/use-recoveries.ts'

describe('a page of a recovery', () => {
  const use = useRecoveries()
  const { its } = use
  const { rowsOf } = its
  const { insertFailed, start, page, settle, shown, startsOf } = use
  const FAILED = { kind: 'queued', deliveries: 0 }

  async function prepare(count: number, columns: Parameters<typeof insertFailed>[2] = {}) {
    const webhookId = await its.newWebhook({ maxRetries: 2 })
    const ids = await insertFailed(webhookId, count, columns)
    return { webhookId, ids, recoveryId: (await start(webhookId)).id }
  }

  // decision: What a recovery brings
  it('opens the oldest failed deliveries again, as first attempts of the queue of their webhook', async () => {
    const { webhookId, ids, recoveryId } = await prepare(3, { attempts: 3, max_attempts: 3 })
    expect(await page(recoveryId, { limit: 2 })).to.deep.equal({ kind: 'queued', deliveries: 2 })
    const [first, second, third] = await rowsOf(webhookId)
    const counts = { attempts: 3, max_attempts: 6, attempts_base: 3, recovery_base: 3 }
    const opened = { status: 'retrying', in_temporal: 0, closed_at: null, closed_reason: null, ...counts }
    for (const row of [first, second]) expect(row).to.include(opened)
    expect(third).to.include({ status: 'failed', recovery_base: null })
    expect(await startsOf(webhookId)).to.deep.equal(ids.slice(0, 2))
    expect(await shown(recoveryId)).to.include({ state: 'running', queued: 2, total: 3 })
  })

  it('repeats nothing when it is queued again, and no row that fails anew', async () => {
    const { webhookId, ids, recoveryId } = await prepare(3)
    await page(recoveryId, { limit: 2, between: () => page(recoveryId, { limit: 2 }) })
    expect(await shown(recoveryId)).to.include({ queued: 2 })
    await settle(ids.slice(0, 2), false)
    const failed = { status: 'failed', wake_at: null, closed_at: new Date() }
    await its.db('deliveries').whereIn('id', ids.slice(0, 2)).update(failed)
    await its.db('webhook_counters').insert({ webhook_id: webhookId, shard: 99, retrying: -2, failed: 2 })
    await page(recoveryId)
    expect(await startsOf(webhookId)).to.deep.equal([ids[2]])
    await settle([ids[2]!], true)
    expect(await page(recoveryId)).to.deep.equal({ kind: 'over', end: { state: 'done' } })
    expect(await shown(recoveryId)).to.include({ state: 'done', queued: 3, total: 3 })
    await expectSoundRows(its.db, use.tenant().companyId)
  })

  // decision: Twice the slots
  it('never has more under way than twice the slots of the webhook', async () => {
    const most = mostUnderWay(its.deps.config.webhookConcurrency)
    const { webhookId, ids, recoveryId } = await prepare(most + 5)
    await page(recoveryId, { limit: most + 5 })
    expect(await startsOf(webhookId)).to.have.length(most)
    expect(await page(recoveryId)).to.deep.equal(FAILED)
    await settle(ids.slice(0, 3), true)
    expect(await page(recoveryId)).to.deep.equal({ kind: 'queued', deliveries: 3 })
    expect(await startsOf(webhookId)).to.have.length(most)
  })

  it('has 200 deliveries at most, whose bodies fit into a packet, however many slots the webhook has', async () => {
    const { recoveryId } = await prepare(201)
    const options = { limit: 1_000, slots: 500 }
    expect(await page(recoveryId, options)).to.deep.equal({ kind: 'queued', deliveries: 200 })
    expect(await page(recoveryId, options)).to.deep.equal({ kind: 'queued', deliveries: 1 })
  })

  it('leaves out what is outside of the window, and test events', async () => {
    const webhookId = await its.newWebhook()
    const ids = await insertFailed(webhookId, 6)
    await its.set('deliveries', { id: ids[3] }, { event_id: 'evt_test_1' })
    const { id } = await start(webhookId, { since: use.minute(1), until: use.minute(5) })
    expect((await shown(id)).total).to.equal(3)
    expect(await page(id)).to.deep.equal({ kind: 'queued', deliveries: 3 })
    expect(await startsOf(webhookId)).to.deep.equal([ids[1], ids[2], ids[4]])
  })

  it('is read at the same cost wherever the recovery stands', async () => {
    const webhookId = await its.newWebhook()
    const columns = { status: 'failed' as const, wake_at: null, created_at: use.minute(1) }
    const ids = (await its.insertOpen(webhookId, columns, 3_000)).sort()
    await addToCounters(its.db, [{ webhookId, changes: { failed: 3_000 } }])
    const { recovery } = (await readRecovery(its.db, (await start(webhookId)).id))!
    for (const place of [0, 1_500, 2_900]) {
      const cursor = place === 0 ? undefined : { at: use.minute(1), id: ids[place - 1]! }
      const read = await countRowsRead(its.db, async (trx) => {
        const found = await listFailed(trx, recovery, cursor, 20)
        expect(found.map(({ id }) => id)).to.deep.equal(ids.slice(place, place + 20))
      })
      // Each delivery is read in the index, in its row, and in the outbox for five kinds of commands.
      expect(read).to.be.below(400)
    }
  })

  it('keeps a delivery with its workflow when that may run, or when somebody changed the row meanwhile', async () => {
    const { webhookId, ids, recoveryId } = await prepare(2, { in_temporal: 1 })
    await page(recoveryId, { limit: 1, hasNoRun: false })
    const touch = () => its.set('deliveries', { id: ids[1] }, { retry_seq: 1, retry_served: 1 })
    await page(recoveryId, { between: touch })
    expect((await rowsOf(webhookId)).map((row) => row.in_temporal)).to.deep.equal([1, 1])
    expect(await its.queued()).to.deep.equal(['recover', 'wake', 'wake'])
  })

  it('passes over a delivery that was retried by hand meanwhile', async () => {
    const { webhookId, ids, recoveryId } = await prepare(2)
    const retry = () => retryDelivery(its.deps, use.tenant(), COMMAND_LINE, webhookId, ids[0]!, new Date())
    expect(await page(recoveryId, { between: retry })).to.deep.equal({ kind: 'queued', deliveries: 1 })
    expect(await startsOf(webhookId)).to.deep.equal([ids[1]])
    await expectSoundRows(its.db, use.tenant().companyId)
  })

  it('ends before a delivery that another transaction locks, and the next page begins with it', async () => {
    const { webhookId, ids, recoveryId } = await prepare(3)
    const locked = await whileHeld(its.db, ids[1]!, () => page(recoveryId))
    expect(locked).to.deep.equal({ kind: 'queued', deliveries: 1 })
    expect(await page(recoveryId)).to.deep.equal({ kind: 'queued', deliveries: 2 })
    expect(await startsOf(webhookId)).to.deep.equal(ids)
  })

  it('waits while the webhook is inactive or the company suspended, and ends the recovery when the webhook is deleted', async () => {
    const { webhookId, recoveryId } = await prepare(2)
    const waits = async (waitsFor: string) => {
      expect(await readRecovery(its.db, recoveryId)).to.have.property('isParked', true)
      expect(await page(recoveryId)).to.deep.equal({ kind: 'waits' })
      expect(await shown(recoveryId)).to.include({ state: 'queued', waitsFor, queued: 0 })
    }
    await its.setActive(webhookId, false)
    await waits('webhook_inactive')
    await its.setActive(webhookId, true)
    await its.suspend()
    await waits('company_suspended')
    await its.resume()
    expect(await startsOf(webhookId)).to.deep.equal([])
    await its.remove(webhookId)
    expect(await page(recoveryId)).to.have.property('kind', 'over')
    expect(await shown(recoveryId)).to.include({ stoppedReason: 'webhook_deleted', queued: 0 })
  })

  // decision: A recovery ends while its endpoint fails
  it('ends the recovery after 20 failures in a row, and a success begins the count anew', async () => {
    const { ids, recoveryId } = await prepare(45)
    await page(recoveryId)
    await settle(ids.slice(0, 19), false)
    await settle(ids.slice(19, 20), true)
    expect(await page(recoveryId)).to.deep.equal({ kind: 'queued', deliveries: 20 })
    await settle(ids.slice(20, 20 + FAILURES_THAT_STOP), false)
    const end = { state: 'cancelled', reason: 'endpoint_failing' }
    expect(await page(recoveryId)).to.deep.equal({ kind: 'over', end })
    expect(await shown(recoveryId)).to.include({ stoppedReason: 'endpoint_failing', queued: 40 })
  })

  // decision: A recovery of a failing endpoint
  it('queues one delivery for each probe of a failing endpoint, and ends the recovery after three that failed', async () => {
    const { webhookId, ids, recoveryId } = await prepare(9)
    const probed = (failedProbes: number) =>
      its.setHealth(webhookId, { probeAt: new Date(), consecutiveFailures: 20 + failedProbes, failedProbes })
    for (const failed of [4, 5, 6]) {
      await probed(failed)
      expect(await page(recoveryId)).to.deep.equal({ kind: 'queued', deliveries: 1 })
      expect(await page(recoveryId)).to.deep.equal(FAILED)
      await settle([ids[failed - 4]!], false)
    }
    expect(await shown(recoveryId)).to.include({ waitsFor: 'endpoint_failing', queued: 3 })
    // The endpoint succeeds once and then fails again, so the count starts anew.
    await its.setHealth(webhookId, {})
    await page(recoveryId, { limit: 1 })
    for (const failed of [0, 2]) {
      await probed(failed)
      expect(await page(recoveryId)).to.have.property('kind', 'queued')
    }
    await probed(3)
    const end = { state: 'cancelled', reason: 'endpoint_failing' }
    expect(await page(recoveryId)).to.deep.equal({ kind: 'over', end })
  })

  // decision: Rounds of a recovery
  it('is followed by a wake-up, once, when few of its attempts are to come or the probes have changed', async () => {
    const { webhookId, ids, recoveryId } = await prepare(4)
    await page(recoveryId)
    const wakeUps = async (isChanged = false) => wakeRecoveries(its.db, new Map([[webhookId, isChanged]]))
    expect(await wakeUps(true)).to.equal(0)
    expect(await letRecoveryWait(its.db, recoveryId, 2)).to.equal(true)
    await its.db('outbox').delete()
    await settle(ids.slice(0, 1), true)
    expect(await wakeUps()).to.equal(0)
    await settle(ids.slice(1, 2), true)
    expect(await Promise.all([wakeUps(), wakeUps()])).to.have.members([0, 1])
    expect(await its.db('outbox').where({ subject_id: recoveryId }).pluck('kind')).to.deep.equal(['recover'])
    expect(await letRecoveryWait(its.db, recoveryId, 2)).to.equal(false)
    expect(await wakeUps(true)).to.equal(1)
  })
})
