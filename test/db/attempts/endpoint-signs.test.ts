import { expect } from 'chai'
import type { PostponedSigns } from '../../../src/attempts/endpoint-signs.ts'
import { recordBatch } from '../../../src/attempts/record-batch.ts'
import { insertDeliveries } from '../../../src/db/delivery/deliveries.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import type { AttemptOutcome, MadeAttempt } from '../../../src/domain/delivery/outcome.ts'
import { newId } from '../../../src/domain/ids.ts'
import { changeWebhook, deleteWebhook } from '../../../src/operations/webhook/change.ts'
import { useOperations } from '../../support/use-operations.ts'

describe('what recorded attempts tell about their endpoint', () => {
  const its = useOperations()
  const { tenant, create } = its

  async function endpoint() {
    const { webhook } = await create()
    const { id: webhookId } = webhook
    return {
      id: webhookId,
      health: () => its.db('webhook_health').where({ webhook_id: webhookId }).first(),
      /** Records attempts of new deliveries in one batch. */
      async record(
        statuses: readonly number[],
        eventType = 'contact.created',
        retryAfter?: string,
        id?: string,
        postponed?: PostponedSigns,
      ) {
        const deliveries = statuses.map((status) => ({ id: id ?? newId('delivery'), status }))
        await insertDeliveries(
          its.db,
          tenant(),
          deliveries.map(({ id }) => ({
            ...{ id, webhookId, eventId: newId('event'), eventType },
            ...{ maxAttempts: 3, createdAt: new Date(), isInTemporal: true },
          })),
        )
        const made = deliveries.map(({ id, status }): MadeAttempt => ({
          ...{ deliveryId: id, webhookId, attemptsAtGate: 0, retrySeqAtGate: 0, webhookVersionAtGate: 1 },
          ...{ trigger: 'scheduled', startedAt: new Date(), scheduleMs: [60_000] },
          outcome: outcomeOf(status, retryAfter),
        }))
        return recordBatch(its.database.batchDb, made, postponed)
      },
    }
  }
  /** 0 is an address that the guard refuses. */
  const outcomeOf = (status: number, retryAfter: string | undefined): AttemptOutcome =>
    status === 0
      ? { kind: 'unreachable', reason: 'blocked_address', durationMs: 1 }
      : { kind: 'answered', status, body: '', retryAfter, durationMs: 1 }
  const fails = (count: number) => Array.from({ length: count }, () => 500)

  it('is nothing while they succeed', async () => {
    const one = await endpoint()
    await one.record([200, 204])
    expect(await one.health()).to.equal(undefined)
  })

  // decision: Endpoints that fail
  it('is that it fails, after 20 in a row over any number of batches', async () => {
    const one = await endpoint()
    await one.record(fails(12))
    await one.record(fails(7))
    expect(await one.health()).to.include({ consecutive_failures: 19, probe_at: null, limited_until: null })
    const { health } = await one.record(fails(1))
    expect(health.get(one.id)?.after.probeAt).to.be.an.instanceOf(Date)
    const row = await one.health()
    expect(row.probe_at - row.changed_at).to.equal(1_000)
    expect(row.failing_since).to.be.below(row.changed_at)
  })

  // decision: Endpoints that fail
  it('is that it is well again, after any 2xx', async () => {
    const one = await endpoint()
    await one.record(fails(25))
    await one.record([200])
    const row = await one.health()
    expect(row).to.include({ consecutive_failures: 0, probe_at: null, failing_since: null })
    expect(row.limited_until - row.recovered_at).to.equal(10_000)
  })

  // decision: Who sends the probe
  it('is when the next probe goes, if one of them is the probe', async () => {
    const one = await endpoint()
    await one.record(fails(20))
    const probe = newId('delivery')
    const setProbe = () =>
      its.db('webhook_health').where({ webhook_id: one.id }).update({ probe_delivery_id: probe })
    await setProbe()
    await one.record([500])
    expect(await one.health()).to.include({ failed_probes: 0, probe_delivery_id: probe })
    await one.record([500], 'contact.created', undefined, probe)
    const row = await one.health()
    expect(row).to.include({ failed_probes: 1, probe_delivery_id: null })
    expect(row.probe_at - row.changed_at).to.equal(2_000)
  })

  it('counts every one of many batches at once', async () => {
    const one = await endpoint()
    await Promise.all(Array.from({ length: 6 }, () => one.record(fails(3))))
    expect(await one.health()).to.include({ consecutive_failures: 18, counted_failures: 18, counted_days: 1 })
  })

  // decision: When the health is written
  it('is written once a second while it goes on failing, and every failure is counted then', async () => {
    const one = await endpoint()
    const setWritten = (at: Date) =>
      its.db('webhook_health').where({ webhook_id: one.id }).update({ changed_at: at })
    const first = await one.record(fails(20))
    await setWritten(new Date(Date.now() + 60_000))
    const before = await one.health()
    const second = await one.record(fails(7), undefined, undefined, undefined, first.postponed)
    expect([second.health.size, [...second.postponed.keys()]]).to.deep.equal([0, [one.id]])
    expect(await one.health()).to.deep.equal(before)
    await setWritten(new Date(Date.now() - 2_000))
    const other = await endpoint()
    const third = await other.record([200], undefined, undefined, undefined, second.postponed)
    expect(third.postponed.size).to.equal(0)
    expect(await one.health()).to.include({
      consecutive_failures: 27,
      counted_failures: 27,
      failed_probes: 0,
    })
  })

  // decision: When the health is written
  it('is written at once when it changes, with what waited', async () => {
    const one = await endpoint()
    await one.record(fails(20))
    const { postponed } = await one.record(fails(3))
    const { health } = await one.record([503], undefined, '60', undefined, postponed)
    expect(health.get(one.id)?.after).to.include({ consecutiveFailures: 24, lastError: 'http_503' })
    expect((await one.health()).paused_until).to.be.an.instanceOf(Date)
  })

  // decision: What counts towards a deactivation
  it('leaves addresses that the guard refuses out of what counts towards a deactivation', async () => {
    const one = await endpoint()
    await one.record([0, 0])
    expect(await one.health()).to.include({
      consecutive_failures: 2,
      counted_failures: 0,
      counted_since: null,
    })
    await one.record([500])
    const row = await one.health()
    expect(row).to.include({ consecutive_failures: 3, counted_failures: 1, last_error: 'http_500' })
    expect(row.counted_since).to.be.above(row.failing_since)
  })

  // decision: What counts for the health
  it('does not depend on test events that fail, but on those that succeed', async () => {
    const one = await endpoint()
    await one.record(fails(25), 'test.webhook')
    expect(await one.health()).to.equal(undefined)
    await one.record(fails(25))
    await one.record([200], 'test.webhook')
    expect(await one.health()).to.include({ consecutive_failures: 0 })
  })

  // decision: Retry-After holds for the whole endpoint
  it('is the pause that it asked for', async () => {
    const one = await endpoint()
    await one.record([429], 'contact.created', '90')
    const row = await one.health()
    expect(row.paused_until - row.changed_at).to.equal(90_000)
    expect(row.limited_until).to.deep.equal(row.paused_until)
  })

  // decision: Endpoints that fail
  it('is forgotten when the webhook is deactivated, activated or deleted or gets a new URL, but with no other change', async () => {
    const one = await endpoint()
    const change = (fields: object) => changeWebhook(its.deps, tenant(), COMMAND_LINE, one.id, fields)
    await one.record(fails(20))
    await change({ name: 'another' })
    expect(await one.health()).to.include({ consecutive_failures: 20 })
    await change({ isActive: false })
    expect(await one.health()).to.include({ consecutive_failures: 0, probe_at: null })
    await one.record(fails(20))
    await change({ isActive: true })
    expect(await one.health()).to.include({ consecutive_failures: 0, probe_at: null })
    await one.record(fails(20), 'contact.created', '60')
    await change({ url: 'https://other.example.com/' })
    expect(await one.health()).to.include({ consecutive_failures: 0, paused_until: null })
    await deleteWebhook(its.deps, tenant(), COMMAND_LINE, one.id)
    expect(await one.health()).to.equal(undefined)
  })
})
