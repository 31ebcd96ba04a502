// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import type { EventType } from '../../../../src/domain/event/catalog.ts'
import { newTestEventId } from '../../../../src/domain/ids.ts'
import { listUnderWay } from '../../../../src/db/recovery/rows.ts'
import { expectSoundRows } from '../../../support/invariants.ts'
import { useRecoveries } from '../../../support/use-recoveries.ts'
import { countRecoverable, readMissed } from '../../../../src/operations/recovery/read.ts'

/** More events than the 500 that one look reads, so that the search continues after them. */
const PAUSES = 600

// decision: Missed events
describe('what a recovery brings of missed events, and what it would bring', () => {
  const use = useRecoveries()
  const { its, tenant, db, page } = use
  const { setActive, newWebhook } = its
  const publish = async (count: number, type?: EventType) =>
    (await its.publish(count, type)).map(({ id }) => id)
  /** An active webhook that missed some events. Its pause is far from its delivered events on both sides. */
  async function missed(count: number) {
    const webhookId = await newWebhook()
    await setActive(webhookId, false)
    return { webhookId, ids: await publish(count), activate: () => setActive(webhookId, true) }
  }
  const start = (webhookId: string) => use.start(webhookId, { kind: 'missed' })

  /** A paused webhook that subscribes to deals only. */
  const DEALS = {
    events: ['contact.created', 'deal.created'] as const,
    filter: { event: 'deal.created' },
    isActive: false,
  }
  const eventsOf = async (webhookId: string) => (await its.rowsOf(webhookId)).map((row) => row.event_id)

  it('makes deliveries of the events of a pause, as first attempts, and counts them', async () => {
    const { webhookId, ids, activate } = await missed(3)
    await activate()
    const { id, total } = await start(webhookId)
    expect(total).to.equal(3)
    expect(await page(id)).to.deep.equal({ kind: 'queued', deliveries: 3 })
    const first = { status: 'pending', attempts: 0, recovery_base: 0, in_temporal: 0, resend_of: null }
    for (const row of await its.rowsOf(webhookId)) expect(row).to.include(first)
    expect(await eventsOf(webhookId)).to.have.members(ids)
    const events = db()('events').whereIn('id', ids).select('deliveries', 'remaining')
    expect(await events).to.deep.equal(ids.map(() => ({ deliveries: 0, remaining: 1 })))
    expect(await use.startsOf(webhookId)).to.have.length(3)
    const outcomes = (await listUnderWay(db(), id)).map(({ outcome }) => outcome)
    expect(outcomes).to.deep.equal([undefined, undefined, undefined])
    expect(await use.shown(id)).to.include({ queued: 3, state: 'running' })
    await expectSoundRows(db())
  })

  it('delivers nothing again: not what was delivered, nor what it has queued', async () => {
    const webhookId = await newWebhook()
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
    expect(await eventsOf(webhookId)).to.have.members([...before, ...ids, ...after])
    await expectSoundRows(db())
  })

  it('leaves out events from just before the webhook, whose pause began with it', async () => {
    const [before] = await publish(1)
    await its.set('events', { id: before }, { created_at: new Date(Date.now() - 1_000) })
    const webhookId = await newWebhook({ isActive: false })
    const ids = await publish(1)
    await setActive(webhookId, true)
    const { id, total } = await start(webhookId)
    expect(total).to.equal(1)
    expect(await page(id)).to.deep.equal({ kind: 'queued', deliveries: 1 })
    expect(await eventsOf(webhookId)).to.deep.equal(ids)
  })

  // decision: Test events of a type
  it('leaves out test events of a type that it subscribes to, which went to another webhook', async () => {
    const { webhookId, ids, activate } = await missed(2)
    await db()('events').where({ id: ids[0]! }).update({ id: newTestEventId() })
    await activate()
    const { id, total } = await start(webhookId)
    expect(total).to.equal(1)
    expect(await page(id)).to.deep.equal({ kind: 'queued', deliveries: 1 })
    expect(await eventsOf(webhookId)).to.deep.equal([ids[1]])
  })

  // decision: When filters apply
  it('leaves out what the filter of the webhook drops, and does not count it', async () => {
    const webhookId = await newWebhook(DEALS)
    await publish(21)
    const deals = await publish(3, 'deal.created')
    await setActive(webhookId, true)
    const { id, total } = await start(webhookId)
    expect(total).to.equal(3)
    while ((await use.shown(id)).queued < 3)
      expect(await page(id, { limit: 2 })).to.have.property('kind', 'queued')
    expect(await eventsOf(webhookId)).to.have.members(deals)
  })

  it('judges no more of its events after two seconds, or when it has to stop, and goes on behind the last one', async () => {
    const webhookId = await newWebhook(DEALS)
    await publish(3)
    const deals = await publish(2, 'deal.created')
    await setActive(webhookId, true)
    const { id } = await start(webhookId)
    const made = []
    for (let time = 0; time < 3; time++) made.push(await page(id, { isStopping: () => true }))
    let nowMs = 0
    const clock = () => new Date((nowMs += 2_000))
    for (let time = 0; time < 2; time++) made.push(await page(id, { clock }))
    const deliveries = [0, 0, 0, 1, 1]
    expect(made).to.deep.equal(deliveries.map((queued) => ({ kind: 'queued', deliveries: queued })))
    expect(await eventsOf(webhookId)).to.have.members(deals)
  })

  it('brings nothing of a pause that nobody noted, of another tenant, or older than the retention', async () => {
    const { webhookId, ids, activate } = await missed(2)
    await activate()
    await its.set('events', { id: ids[0] }, { environment: 'test' })
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
    const copies = Array.from({ length: 11 }, (_, n) => rows.map((row) => ({ ...row, id: `${row.id}-${n}` })))
    await db().batchInsert('events', copies.flat(), 500)
    const [last] = await publish(1)
    await activate()
    const { id } = await start(webhookId)
    expect(await page(id)).to.deep.equal({ kind: 'queued', deliveries: 0 })
    expect(await page(id)).to.deep.equal({ kind: 'queued', deliveries: 1 })
    expect(await eventsOf(webhookId)).to.deep.equal([last])
  })

  // decision: Limits of recoveries of missed events
  it('brings the events of all of hundreds of pauses, many pauses in each page', async () => {
    const [first, middle, last] = await publish(3)
    const webhookId = await newWebhook()
    const startMs = Date.now() - 25 * 86_400_000
    await its.set('webhooks', { id: webhookId }, { created_at: new Date(startMs) })
    const pauseAt = (number: number) => new Date(startMs + number * 20_000)
    const pauses = Array.from({ length: PAUSES }, (_, number) => ({
      webhook_id: webhookId,
      starts_at: pauseAt(number),
      ends_at: new Date(pauseAt(number).getTime() + 5_000),
      event_types: 'contact.created',
    }))
    await db().batchInsert('webhook_pauses', pauses, PAUSES)
    for (const [at, id] of [first, middle, last].entries())
      await its.set('events', { id }, { created_at: pauseAt(Math.floor((at * (PAUSES - 1)) / 2)) })
    const all = { kind: 'missed', since: new Date(startMs) } as const
    const { id, total } = await use.start(webhookId, all)
    expect(total).to.equal(3)
    let nowMs = Date.now()
    const slow = { ...its.deps, clock: () => new Date((nowMs += 10)) }
    const counted = await countRecoverable(slow, tenant(), webhookId, all, new Date())
    expect(counted.total, 'a count of more than a second').to.equal(null)
    let pages = 0
    for (; (await use.shown(id)).queued < 3; pages++) await page(id)
    expect(pages).to.be.at.most(PAUSES / 50)
    expect(await eventsOf(webhookId)).to.have.members([first, middle, last])
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

  // decision: What an activation offers
  it('is what the latest pause missed, and not what an earlier one did', async () => {
    const webhookId = await newWebhook()
    expect(await readMissed(its.deps, tenant(), webhookId)).to.equal(undefined)
    await setActive(webhookId, false)
    await publish(2)
    await setActive(webhookId, true)
    expect((await readMissed(its.deps, tenant(), webhookId))?.recoverable.total).to.equal(2)
    const hourBefore = (column: string) => ({ [column]: its.db.raw(`${column} - INTERVAL 1 HOUR`) })
    const times = { ...hourBefore('starts_at'), ...hourBefore('ends_at') }
    await its.set('webhook_pauses', { webhook_id: webhookId }, times)
    await its.set('events', { company_id: tenant().companyId }, hourBefore('created_at'))
    await setActive(webhookId, false)
    await publish(3)
    const open = await readMissed(its.deps, tenant(), webhookId)
    expect([open?.pause.endsAt, open?.recoverable.total]).to.deep.equal([null, 3])
    await setActive(webhookId, true)
    expect((await readMissed(its.deps, tenant(), webhookId))?.recoverable.total).to.equal(3)
  })
})
