import { expect } from 'chai'
import { EndpointLimits } from '../../../src/attempts/endpoint-limits.ts'
import { Slots } from '../../../src/attempts/slots.ts'
import { dueQueue, enqueueCommands } from '../../../src/db/outbox.ts'
import { toHealthRow } from '../../../src/db/webhook/health.ts'
import { databaseNow } from '../../../src/db/clock.ts'
import { HEALTHY, type EndpointHealth } from '../../../src/domain/webhook/health.ts'
import { newId } from '../../../src/domain/ids.ts'
import { publishEvents } from '../../../src/operations/event/publish.ts'
import { CandidateFinder } from '../../../src/relay/candidates.ts'
import { claimRows } from '../../../src/relay/claim.ts'
import { Probes } from '../../../src/relay/probes.ts'
import { until } from '../../support/poll.ts'
import { useOperations } from '../../support/use-operations.ts'

const SLOTS = 3
const LEASE_MS = 60_000

describe('first attempts of an endpoint that fails', () => {
  const its = useOperations()
  const { tenant, create } = its
  beforeEach(() => its.db('outbox').delete())

  /** A webhook with first attempts that wait, and with the health that the function makes of the database's time. */
  async function webhookWith(
    waiting: number,
    healthAt: (at: (ms: number) => Date) => Partial<EndpointHealth>,
  ) {
    const { webhook } = await create()
    for (let index = 0; index < waiting; index++) {
      await its.publish()
    }
    const now = await databaseNow(its.db)
    const health = { ...HEALTHY, ...healthAt((ms) => new Date(now.getTime() + ms)) }
    await its.db('webhook_health').insert(toHealthRow(webhook.id, health, now))
    // Only its own deliveries wait.
    await its.db('outbox').whereNot({ lane: webhook.id }).delete()
    return webhook.id
  }
  const healthOf = (webhookId: string) => its.db('webhook_health').where({ webhook_id: webhookId }).first()

  /** A worker's part that claims. */
  function worker(owner: string, liveWorkers = 1) {
    const slots = new Slots({ limit: () => SLOTS, capacity: 100, now: () => 0 })
    const limits = new EndpointLimits(its.deps, {
      liveWorkers: () => liveWorkers,
      nowMs: () => performance.now(),
    })
    const probes = new Probes(its.deps, { limits, owner, leaseMs: LEASE_MS })
    const finder = new CandidateFinder()
    let queues = new Map<string, string>()
    const room = { calls: 50, handovers: 0, direct: 50, pages: 0 }
    return {
      slots,
      async claim(): Promise<string[]> {
        const options = { owner, leaseMs: LEASE_MS, takesDirectly: () => true, slots, limits, probes, finder }
        const { claims } = await claimRows(its.deps, room, options)
        queues = new Map(claims.map(({ row }) => [row.targetId, row.queue]))
        return [...queues.keys()]
      },
      /** Nothing was sent for a delivery of the latest claim. */
      giveBack: (targetId: string) => probes.giveBack({ targetId, queue: queues.get(targetId)! }),
    }
  }

  it('are not claimed before the time of the next probe', async () => {
    await webhookWith(2, (at) => ({ consecutiveFailures: 20, probeAt: at(30_000) }))
    expect(await worker('w1').claim()).to.deep.equal([])
  })

  // decision: Endpoints that fail
  it('go one at a time, however many workers there are', async () => {
    const webhookId = await webhookWith(5, (at) => ({ consecutiveFailures: 20, probeAt: at(-1) }))
    const claims = await Promise.all(['w1', 'w2', 'w3', 'w4'].map((owner) => worker(owner, 4).claim()))
    const [probe, ...more] = claims.flat()
    expect(more).to.deep.equal([])
    expect(await healthOf(webhookId)).to.include({ probe_delivery_id: probe })
    expect(await worker('w5').claim()).to.deep.equal([])
  })

  // decision: Endpoints that fail
  it('have a slot of their own that no other attempt takes', async () => {
    const webhookId = await webhookWith(5, (at) => ({ consecutiveFailures: 20, probeAt: at(-1) }))
    const w1 = worker('w1')
    const holder = { companyId: tenant().companyId, webhookId }
    for (let taken = 0; taken < SLOTS; taken++) w1.slots.take(holder, `del_${taken}`)
    const [probe, ...more] = await w1.claim()
    expect(more).to.deep.equal([])
    expect(w1.slots.take(holder, 'del_retry')).to.equal(undefined)
    const giveBack = w1.slots.take(holder, probe!)
    expect(giveBack).to.be.a('function')
    expect(w1.slots.take(holder, 'del_second_probe', true), 'one more, and not two').to.equal(undefined)
    giveBack!()
    expect(w1.slots.take(holder, 'del_without_reservation', true)).to.be.a('function')
  })

  it('do not hold back attempts that are due again', async () => {
    const webhookId = await webhookWith(1, (at) => ({ consecutiveFailures: 20, probeAt: at(30_000) }))
    const due = newId('delivery')
    await enqueueCommands(its.db, tenant(), [{ kind: 'due', targetId: due, queue: dueQueue(webhookId) }])
    expect(await worker('w1').claim()).to.deep.equal([due])
  })

  // decision: Who sends the probe
  it('give their probe back when there is none to send', async () => {
    const webhookId = await webhookWith(1, (at) => ({ consecutiveFailures: 20, probeAt: at(-1) }))
    const { id } = await its.db('outbox').first('id')
    // Another worker is about to claim the row.
    await its.db.transaction(async (trx) => {
      await trx('outbox').where({ id }).forUpdate()
      expect(await worker('w1').claim()).to.deep.equal([])
    })
    expect(await healthOf(webhookId)).to.include({ probe_delivery_id: null })
    expect(await worker('w2').claim()).to.have.length(1)
  })

  // decision: Who sends the probe
  it('make room for the next one when theirs was not sent', async () => {
    await webhookWith(2, (at) => ({ consecutiveFailures: 20, probeAt: at(-1) }))
    const [w1, w2] = [worker('w1'), worker('w2')]
    const [probe] = await w1.claim()
    expect(await w2.claim()).to.deep.equal([])
    await w1.giveBack(probe!)
    const next = await until(
      () => w2.claim(),
      (claims) => claims.length > 0,
    )
    expect(next).to.not.include(probe)
  })

  it('do not keep others waiting when their health cannot be changed', async () => {
    const webhookId = await webhookWith(1, (at) => ({ consecutiveFailures: 20, probeAt: at(-1) }))
    const { webhook: neighbour } = await create({ events: ['contact.updated'] })
    await publishEvents(its.deps, tenant(), [{ type: 'contact.updated', data: {} }])
    await its.db.transaction(async (trx) => {
      await trx('webhook_health').where({ webhook_id: webhookId }).forUpdate()
      expect(await worker('w1').claim()).to.have.length(1)
    })
    const left = await its.db('outbox').whereNull('lease_owner').pluck('lane')
    expect(left).to.include(webhookId).and.not.include(neighbour.id)
  })

  // decision: Retry-After holds for the whole endpoint
  it('wait for the end of the pause that the endpoint asked for', async () => {
    const webhookId = await webhookWith(2, (at) => ({ consecutiveFailures: 1, pausedUntil: at(60_000) }))
    const w1 = worker('w1')
    expect(await w1.claim()).to.deep.equal([])
    const now = await databaseNow(its.db)
    const over = { ...HEALTHY, pausedUntil: new Date(now.getTime() - 1) }
    await its.set('webhook_health', { webhook_id: webhookId }, toHealthRow(webhookId, over, now))
    const first = await until(
      () => w1.claim(),
      (claims) => claims.length > 0,
    )
    expect(first).to.have.length(2)
  })

  // decision: Endpoints that fail
  it('come back at a rate that doubles, of all workers together', async () => {
    // A recovery in a minute stays in its first second, however slow this test is.
    await webhookWith(9, (at) => ({ recoveredAt: at(60_000) }))
    // In that second each of two workers may begin one; without the limit each has three slots.
    for (const owner of ['w1', 'w2']) expect(await worker(owner, 2).claim()).to.have.length(1)
  })
})
