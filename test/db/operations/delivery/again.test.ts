// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { createRetryRequest } from '../../../../src/activities/request-retry.ts'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { recordBatch } from '../../../../src/attempts/record-batch.ts'
import { findDelivery } from '../../../../src/db/delivery/deliveries.ts'
import { parkDelivery, unparkDeliveries } from '../../../../src/db/delivery/parked-deliveries.ts'
import type { Deps } from '../../../../src/deps/deps.ts'
import { retryDelivery, resendDelivery, sendEvent } from '../../../../src/operations/delivery/again.ts'
import { answered, madeAttempt } from '../../../support/made-attempts.ts'
import { useOperations, refusalOf } from '../../../support/use-operations.ts'
import type { DeliveryRow } from '../../../../src/db/delivery/rows.ts'
import { purgeDeliveries, purgeEvents } from '../../../../src/db/purge/history.ts'
import { createTestEvent } from '../../../../src/domain/event/event.ts'
import { newId, newTestEventId } from '../../../../src/domain/ids.ts'
import { insertEvents } from '../../../../src/db/event/events.ts'
import { expectSoundRows } from '../../../support/invariants.ts'
import type { FoundDelivery } from '../../../../src/domain/delivery/delivery.ts'

/** Longer than the time within which two retries count as one. */
const LATER_MS = 5_000
const MAX_RETRIES = 2

describe('a manual retry while the webhook is inactive', () => {
  const its = useOperations()
  const { tenant } = its

  /** One delivery of its own webhook, and functions that act on it. No worker runs: the test does its work. */
  async function openDelivery() {
    const { webhookId, id } = await its.delivery({ maxRetries: MAX_RETRIES })
    let nowMs = Date.now()
    const later: Deps = { ...its.deps, clock: () => new Date((nowMs += LATER_MS)) }
    const shown = async (): Promise<FoundDelivery> => (await findDelivery(its.db, tenant(), webhookId, id))!
    return {
      shown,
      deactivate: () => its.setActive(webhookId, false),
      park: () => parkDelivery(its.db, id, webhookId),
      async activate() {
        await its.setActive(webhookId, true)
        const of = { webhookId, companyId: tenant().companyId }
        await unparkDeliveries(its.db, of, { from: undefined, limit: 500 })
      },
      /** Requests a retry 5 s after the previous one. */
      retry: () => retryDelivery(later, tenant(), COMMAND_LINE, webhookId, id, new Date(nowMs + LATER_MS)),
      /** Reads the row as the gate does. `fail` then records a failed attempt that began with these values. */
      async attempt() {
        const { attempts: attemptsAtGate, retrySeq: retrySeqAtGate } = await shown()
        const made = madeAttempt(id, webhookId, answered(500), { attemptsAtGate, retrySeqAtGate })
        return { fail: () => recordBatch(its.database.batchDb, [made]) }
      },
      async fail() {
        await (await this.attempt()).fail()
      },
    }
  }
  type OpenDelivery = Awaited<ReturnType<typeof openDelivery>>

  const paths: Readonly<Record<string, (its: OpenDelivery) => Promise<unknown>>> = {
    'pending and not parked yet': (it) => it.deactivate(),
    'pending and parked': (it) => it.deactivate().then(it.park),
    'in its back-off and not parked yet': (it) => it.fail().then(it.deactivate),
    'in its back-off and parked': (it) => it.fail().then(it.deactivate).then(it.park),
    failed: async (it) => {
      for (let attempt = 0; attempt <= MAX_RETRIES; attempt++) await it.fail()
      await it.deactivate()
    },
  }

  for (const [state, prepare] of Object.entries(paths)) {
    it(`gives one attempt more, however often it is repeated, to a delivery that is ${state}`, async () => {
      const it = await openDelivery()
      await prepare(it)
      const before = await it.shown()
      expect(await it.retry()).to.equal('webhook_inactive')
      const { maxAttempts } = await it.shown()
      const given = before.status === 'failed' ? MAX_RETRIES + 1 : 1
      expect(maxAttempts).to.equal(before.maxAttempts + given)
      await it.retry()
      await it.park()
      for (let repeat = 0; repeat < 3; repeat++) expect(await it.retry()).to.equal('webhook_inactive')
      expect(await it.shown()).to.include({ attempts: before.attempts, maxAttempts })

      await it.activate()
      const first = await it.shown()
      expect(first).to.include({ maxAttempts, parkedAt: null })
      for (let made = before.attempts; made < maxAttempts; made++) {
        expect((await it.shown()).status).to.not.equal('failed')
        await it.fail()
      }
      expect(await it.shown()).to.include({ status: 'failed', attempts: maxAttempts, maxAttempts })
    })
  }

  // decision: Manual retry while inactive
  it('gives one attempt more, however often it is repeated, while the last attempt is on the wire', async () => {
    const it = await openDelivery()
    for (let attempt = 0; attempt < MAX_RETRIES; attempt++) await it.fail()
    const last = await it.attempt()
    await it.deactivate()
    for (let repeat = 0; repeat < 3; repeat++) await it.retry()
    await last.fail()
    await it.park()
    for (let repeat = 0; repeat < 3; repeat++) await it.retry()
    expect(await it.shown()).to.include({ attempts: MAX_RETRIES + 1, maxAttempts: MAX_RETRIES + 2 })
    await it.activate()
    await it.fail()
    expect(await it.shown()).to.include({ status: 'failed', attempts: MAX_RETRIES + 2 })
  })
})

const FAILED = { status: 'failed', closed_reason: 'attempts_used', wake_at: null } as const

// decision: Resend
describe('a delivery that is sent again', () => {
  const its = useOperations()
  const { tenant, queued } = its
  const inFuture = new Date(Date.now() + 86_400_000)

  /** A webhook with one event and its delivery, which its counters include. */
  async function delivered(columns: Partial<DeliveryRow> = FAILED) {
    const { webhookId, eventId, id } = await its.delivery({ maxRetries: 2 })
    await its.db('outbox').where({ subject_id: id }).delete()
    if (columns.status !== undefined) {
      await its.set('deliveries', { id }, { closed_at: new Date(), ...columns })
      const counted = { pending: 0, [columns.status]: 1 }
      await its.set('webhook_counters', { webhook_id: webhookId, pending: 1 }, counted)
    }
    const resend = () => resendDelivery(its.deps, tenant(), COMMAND_LINE, webhookId, id)
    return { webhookId, id, eventId, resend }
  }
  const eventOf = (id: string): Promise<object | undefined> =>
    its.db('events').where({ id }).first<object | undefined>('deliveries', 'remaining')

  for (const status of ['failed', 'success'] as const)
    it(`is a new delivery of the event, and leaves the original as it is: ${status}`, async () => {
      const { webhookId, id, eventId, resend } = await delivered({ ...FAILED, status, closed_reason: null })
      const before = await its.rowOf(id)
      const { delivery } = await resend()
      expect(delivery).to.include({ webhookId, eventId, status: 'pending', attempts: 0, maxAttempts: 3 })
      expect(delivery).to.include({ resendOf: id, isInTemporal: false })
      expect(await its.rowOf(id)).to.deep.equal(before)
      expect(await eventOf(eventId)).to.deep.equal({ deliveries: 1, remaining: 2 })
      expect((await its.countersOf(webhookId)).totalDeliveries).to.equal(2)
      expect(await queued()).to.deep.equal(['start'])
      expect(await its.actions(id)).to.deep.equal(['delivery.resend'])
      await expectSoundRows(its.db)
    })

  it('gets the next number, also when many ask at once and when a repetition is repeated', async () => {
    const { webhookId, id, eventId, resend } = await delivered()
    const made = await Promise.all(Array.from({ length: 8 }, resend))
    const last = made[0]!.delivery.id
    await its.set('deliveries', { id: last }, { status: 'success', closed_at: new Date() })
    await its.db('webhook_counters').insert({ webhook_id: webhookId, shard: 99, pending: -1, success: 1 })
    const again = await resendDelivery(its.deps, tenant(), COMMAND_LINE, webhookId, last)
    expect(again.delivery.resendOf).to.equal(last)
    const numbers = its.db('deliveries').where({ event_id: eventId }).orderBy('resend_no').pluck('resend_no')
    expect(await numbers).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(await eventOf(eventId)).to.deep.equal({ deliveries: 1, remaining: 10 })
    expect((await its.rowOf(id)).status).to.equal('failed')
    await expectSoundRows(its.db)
  })

  it('is purged as every other, and the event goes with the last of them', async () => {
    const { eventId, resend } = await delivered()
    const { id } = (await resend()).delivery
    const purge = async () => {
      await purgeDeliveries(its.db, inFuture, 500)
      await purgeEvents(its.db, inFuture, 500)
    }
    await purge()
    expect(await eventOf(eventId)).to.deep.equal({ deliveries: 1, remaining: 1 })
    await its.set('deliveries', { id }, { status: 'success', closed_at: new Date(), wake_at: null })
    await purge()
    expect(await eventOf(eventId)).to.equal(undefined)
  })

  it('is refused while the original is open, for a test event, and for everybody else, and waits while its webhook is inactive', async () => {
    const open = await delivered({})
    expect(await refusalOf(open.resend())).to.match(/^INVALID_REQUEST: The delivery has not ended/)
    const test = await delivered({ ...FAILED, event_id: 'evt_test_1' })
    expect(await refusalOf(test.resend())).to.match(/^INVALID_REQUEST: A test event/)
    await expectSoundRows(its.db)
    const { webhookId, id, resend } = await delivered()
    await its.setActive(webhookId, false)
    const shown = { isActive: false, isSuspended: false, holdsFirstAttempts: false }
    expect((await resend()).webhook).to.deep.equal(shown)
    for (const foreign of its.foreign()) {
      const refused = resendDelivery(its.deps, foreign, COMMAND_LINE, webhookId, id)
      expect(await refusalOf(refused)).to.match(/^NOT_FOUND/)
    }
  })
})

// decision: Send an event by hand
describe('an event that is sent by hand', () => {
  const its = useOperations()
  const { tenant } = its
  const send = (webhookId: string, eventId: string, owner = tenant()) =>
    sendEvent(its.deps, owner, COMMAND_LINE, webhookId, { id: eventId, type: 'contact.created' })

  it('makes one first delivery for a webhook that got none, however many ask at once, with an audit entry', async () => {
    const [event] = await its.publish()
    const webhookId = await its.newWebhook({ events: ['task.created'], maxRetries: 2 })
    const asked = await Promise.allSettled(Array.from({ length: 8 }, () => send(webhookId, event!.id)))
    const made = asked.flatMap((one) => (one.status === 'fulfilled' ? one.value.delivery : []))
    expect(made).to.have.length(1)
    const { id } = made[0]!
    expect(made[0]).to.include({ status: 'pending', maxAttempts: 3, resendOf: null, isInTemporal: false })
    for (const refused of asked.filter((one) => one.status === 'rejected'))
      expect(String(refused.reason)).to.match(/has a delivery of this event: retry or resend it/)
    const row = await its.db('events').where({ id: event!.id }).first<object>('deliveries', 'remaining')
    expect(row).to.deep.equal({ deliveries: 0, remaining: 1 })
    const entry = `webhook.send_event ${JSON.stringify({ event_id: event!.id, delivery_id: id })}`
    expect((await its.audited(webhookId)).at(-1)).to.equal(entry)
    expect(await its.queued()).to.deep.equal(['start'])
    await expectSoundRows(its.db)
  })

  it('waits while its webhook is inactive, and is refused for a test event and for everybody else', async () => {
    const [event] = await its.publish()
    const webhookId = await its.newWebhook({ isActive: false })
    const test = createTestEvent({ id: newTestEventId(), webhookId, now: new Date() })
    await insertEvents(its.db, tenant(), [{ ...test, deliveries: 0 }])
    expect(await refusalOf(send(webhookId, test.id))).to.match(/^INVALID_REQUEST: A test event/)
    expect(await refusalOf(send(webhookId, 'evt_unknown'))).to.match(/^NOT_FOUND: Event/)
    for (const foreign of its.foreign())
      expect(await refusalOf(send(webhookId, event!.id, foreign))).to.match(/^NOT_FOUND: Webhook/)
    expect((await send(webhookId, event!.id)).webhook.isActive).to.equal(false)
  })
})

describe('the audit of manual retries', () => {
  const its = useOperations()

  // decision: The signal `retry`
  it('has one entry for requests that count as one, whoever makes them', async () => {
    const { webhookId, id } = await its.delivery()
    const actor = { id: 'key_1', requestId: 'req_1' }
    for (const who of [actor, COMMAND_LINE])
      await retryDelivery(its.deps, its.tenant(), who, webhookId, id, new Date())
    const told = `delivery.retry ${JSON.stringify({ webhook_id: webhookId, retry_seq: 1 })}`
    expect(await its.audited(id)).to.deep.equal([told])
    const [entry] = await its.db('audit').where({ subject_id: id })
    expect(entry).to.include({ actor: 'key_1', request_id: 'req_1' })
  })
})

describe('the activity that writes a retry which came as a signal', () => {
  const its = useOperations()
  const arrivedAt = new Date().toISOString()

  // decision: The signal `retry`
  it('counts once when it is run again after its commit, and asks for nothing where the webhook is deleted', async () => {
    const webhookId = await its.newWebhook({ isActive: false })
    const [deliveryId = ''] = await its.insertOpen(webhookId, { attempts: 1, max_attempts: 6 })
    const requestRetry = createRetryRequest(its.deps)
    const input = { deliveryId, requestKey: 'run/1', arrivedAt }
    expect(await requestRetry(input)).to.equal('queued')
    // Wait longer than the second within which two retries count as one, so that only the key shows a repeat.
    await its.set('deliveries', { id: deliveryId }, { retry_requested_at: new Date(Date.now() - 60_000) })
    expect(await requestRetry(input)).to.equal('queued')
    expect(await its.rowOf(deliveryId)).to.include({ retry_seq: 1, max_attempts: 7 })
    expect(await its.actions(deliveryId)).to.deep.equal(['delivery.retry'])
    expect(await requestRetry({ ...input, requestKey: 'run/2' })).to.equal('queued')
    expect(await its.rowOf(deliveryId)).to.include({ retry_seq: 2, max_attempts: 7 })
    await its.remove(webhookId)
    for (const id of [deliveryId, newId('delivery')])
      expect(await requestRetry({ deliveryId: id, requestKey: 'run/3', arrivedAt })).to.equal('refused')
    expect(await its.actions(deliveryId)).to.have.length(2)
  })
})
