import { expect } from 'chai'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import type { EventType } from '../../../../src/domain/event/types.ts'
import { mostUnderWay } from '../../../../src/domain/recovery/recovery.ts'
import { databaseNow } from '../../../../src/db/clock.ts'
import type { DeliveryRow } from '../../../../src/db/delivery/rows.ts'
import { readSegments } from '../../../../src/db/recovery/missed.ts'
import { listUnderWay, readRecovery } from '../../../../src/db/system/recovery-candidates.ts'
import { listMissed, takeMissed } from '../../../../src/db/system/recovery-missed.ts'
import { queueRecoveryPage, type PageResult } from '../../../../src/db/system/recovery-pages.ts'
import { publishEvents } from '../../../../src/operations/event/publish.ts'
import { changeWebhook } from '../../../../src/operations/webhook/change.ts'
import { expectSoundRows } from '../../../support/invariants.ts'
import { useRecoveries } from '../../../support/use-recoveries.ts'

describe('a page of missed events', () => {
  const use = useRecoveries()
  const { its } = use
  const { create, tenant, db } = use
  const setActive = (id: string, isActive: boolean) =>
    changeWebhook(its.deps, tenant(), COMMAND_LINE, id, { isActive })
  const publish = async (count: number, type: EventType = 'contact.created'): Promise<string[]> => {
    const inputs = Array.from({ length: count }, () => ({ type, data: {} }))
    return (await publishEvents(its.deps, tenant(), inputs)).map(({ id }) => id)
  }
  /** An active webhook that missed some events, each side of its pause far from what was delivered. */
  async function missed(count: number) {
    const webhookId = (await create()).webhook.id
    await setActive(webhookId, false)
    return { webhookId, ids: await publish(count), activate: () => setActive(webhookId, true) }
  }
  const start = (webhookId: string) => use.start(webhookId, { kind: 'missed' })

  /** One page, as the activity makes it. */
  async function page(
    recoveryId: string,
    { limit = 20, between = () => Promise.resolve<unknown>(undefined) } = {},
  ): Promise<PageResult> {
    const { recovery, cursor } = (await readRecovery(db(), recoveryId))!
    const segments = await readSegments(db(), tenant(), recovery, {
      retentionDays: 30,
      now: await databaseNow(db()),
    })
    const found = await listMissed(db(), tenant(), segments, { cursor, limit })
    await between()
    return queueRecoveryPage(db(), {
      ...{ recoveryId, webhookId: recovery.webhookId, cursor },
      mostUnderWay: mostUnderWay(its.deps.config.webhookConcurrency),
      take: takeMissed(found ?? { events: [], next: { at: recovery.until, id: '' }, isLast: true }),
      isLast: found?.isLast ?? true,
    })
  }
  const rowsOf = (webhookId: string): Promise<DeliveryRow[]> =>
    db()<DeliveryRow>('deliveries').where({ webhook_id: webhookId }).orderBy('id')
  const eventsOf = async (webhookId: string) => (await rowsOf(webhookId)).map((row) => row.event_id)

  // decision: Missed events
  it('makes deliveries of the events of a pause, as first attempts, and counts them', async () => {
    const { webhookId, ids, activate } = await missed(3)
    await activate()
    const { id, total } = await start(webhookId)
    expect(total).to.equal(3)
    expect(await page(id)).to.deep.equal({ kind: 'queued', deliveries: 3 })
    for (const row of await rowsOf(webhookId)) {
      expect(row).to.include({
        status: 'pending',
        attempts: 0,
        recovery_base: 0,
        in_temporal: 0,
        resend_of: null,
      })
    }
    expect((await eventsOf(webhookId)).sort()).to.deep.equal([...ids].sort())
    expect(await db()('events').whereIn('id', ids).select('deliveries', 'remaining')).to.deep.equal(
      ids.map(() => ({ deliveries: 0, remaining: 1 })),
    )
    expect(await use.startsOf(webhookId)).to.have.length(3)
    expect((await listUnderWay(db(), id)).map(({ outcome }) => outcome)).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ])
    expect(await use.shown(id)).to.include({ queued: 3, state: 'running' })
    await expectSoundRows(db())
  })

  // decision: Missed events
  it('delivers nothing again: not what was delivered, nor what it has queued', async () => {
    const webhookId = (await create()).webhook.id
    const before = await publish(2)
    await setActive(webhookId, false)
    const ids = await publish(2)
    await setActive(webhookId, true)
    const after = await publish(2)
    const { id, total } = await start(webhookId)
    expect(total).to.equal(2)
    expect(await page(id, { limit: 1 })).to.deep.equal({ kind: 'queued', deliveries: 0 })
    while ((await use.shown(id)).queued < 2)
      await page(id, { limit: 1, between: () => page(id, { limit: 1 }) })
    for (let time = 0; time < 4; time++) await page(id)
    expect((await eventsOf(webhookId)).sort()).to.deep.equal([...before, ...ids, ...after].sort())
    await expectSoundRows(db())
  })

  it('leaves out events of types that it did not subscribe to then, or does not any more', async () => {
    const webhookId = (await create({ events: ['contact.created', 'deal.created'], isActive: false })).webhook
      .id
    const [kept] = await publish(1)
    await publish(1, 'deal.created')
    await publish(1, 'task.created')
    const events = { events: ['contact.created' as const, 'task.created' as const], isActive: true }
    await changeWebhook(its.deps, tenant(), COMMAND_LINE, webhookId, events)
    const { id } = await start(webhookId)
    await page(id)
    expect(await eventsOf(webhookId)).to.deep.equal([kept])
  })

  it('brings nothing of a pause that nobody noted, of another tenant, or older than the retention', async () => {
    const { webhookId, ids, activate } = await missed(2)
    await activate()
    await db()('events').where({ id: ids[0] }).update({ environment: 'test' })
    await its.set('events', { id: ids[1] }, { created_at: new Date(Date.now() - 31 * 86_400_000) })
    await its.set('webhook_pauses', { webhook_id: webhookId }, { starts_at: new Date(0) })
    const old = await use.start(webhookId, { kind: 'missed', since: new Date(0) })
    expect(old.total).to.equal(0)
    expect(await page(old.id)).to.have.property('kind', 'over')
    expect(await eventsOf(webhookId)).to.deep.equal([])
    const other = await missed(2)
    await other.activate()
    await db()('webhook_pauses').where({ webhook_id: other.webhookId }).delete()
    const { id, total } = await start(other.webhookId)
    expect(total).to.equal(0)
    expect(await page(id)).to.deep.equal({ kind: 'over', end: { state: 'done' } })
  })

  it('goes through events of other types page by page, and ends', async () => {
    const { webhookId, activate } = await missed(0)
    const others = await publish(100, 'task.created')
    const rows = (await db()('events').whereIn('id', others)) as { id: string }[]
    for (let copy = 0; copy < 11; copy++) {
      await db().batchInsert(
        'events',
        rows.map((row) => ({ ...row, id: `${row.id}-${copy}` })),
        100,
      )
    }
    const [last] = await publish(1)
    await activate()
    const { id } = await start(webhookId)
    expect(await page(id)).to.deep.equal({ kind: 'queued', deliveries: 0 })
    expect(await page(id)).to.deep.equal({ kind: 'queued', deliveries: 1 })
    expect(await eventsOf(webhookId)).to.deep.equal([last])
  })

  it('skips an event that was purged meanwhile', async () => {
    const { webhookId, ids, activate } = await missed(2)
    await activate()
    const { id } = await start(webhookId)
    const purge = () => db()('events').where({ id: ids[0] }).delete()
    expect(await page(id, { between: purge })).to.deep.equal({ kind: 'queued', deliveries: 1 })
    expect(await eventsOf(webhookId)).to.deep.equal([ids[1]])
    await expectSoundRows(db())
  })
})
