// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { HEALTHY } from '../../../src/domain/webhook/health.ts'
import { claimRows, holderOfRow } from '../../../src/relay/claim.ts'
import { CAPACITY, SLOTS, useCommands } from '../../support/use-commands.ts'
import { newLimits } from '../../support/endpoint-limits.ts'
import { Slots } from '../../../src/attempts/slots.ts'
import { enqueueCommands } from '../../../src/db/outbox/outbox.ts'
import { dueQueue, directRetryQueue } from '../../../src/db/outbox/queues.ts'
import type { Db } from '../../../src/db/connection/connection.ts'
import { databaseNow } from '../../../src/db/clock.ts'
import { newId } from '../../../src/domain/ids.ts'
import { CandidateFinder } from '../../../src/relay/candidates.ts'
import { Probes } from '../../../src/relay/probes.ts'
import { until } from '../../support/poll.ts'
import { whileOpen } from '../../support/lock-waits.ts'
import { failedStatements } from '../../support/rows-read.ts'
import { useOperations } from '../../support/use-operations.ts'

describe('claiming rows', () => {
  const { its, slots, limits, claim, claimAll, waiting } = useCommands()
  const { tenant, create, publish, remove } = its
  const holder = (webhookId: string) => ({ companyId: tenant().companyId, webhookId })
  const kinds = async (room: Parameters<typeof claim>[0]) => (await claim(room)).map(({ kind }) => kind)

  // decision: Slots
  it('takes no more for a webhook than it has free slots, reserves them, and tells of rows for which only a slot is missing', async () => {
    const { webhook } = await create()
    await publish(5)
    const claimed = await claim()
    expect(claimed).to.have.length(SLOTS)
    for (const row of claimed) expect(holderOfRow(row)).to.deep.equal(holder(webhook.id))
    expect(slots().free(holder(webhook.id))).to.equal(0)
    const more = { claims: [], isMore: true }
    expect(await claimAll(), 'the end of an attempt leads to a claim').to.deep.include(more)
    const rows = (await waiting()).map(({ is_due, tries }) => [is_due, tries].join())
    expect(rows).to.have.members(['0,0', '0,0', '1,0', '1,0', '1,0'])
  })

  // decision: Slots of a company
  it('takes no more for a company at once than stays free in the process for others', async () => {
    await its.insertWebhooks(60)
    await publish(SLOTS)
    expect(await claim({ calls: 60 * SLOTS })).to.have.length(CAPACITY / 2)
    expect(slots().freeOfAll()).to.equal(CAPACITY / 2)
  })

  it('tells of no more when all that waits is held back for an endpoint that fails', async () => {
    const { webhook } = await create()
    await publish(1)
    await limits().refresh()
    const probeAt = new Date(Date.now() + 60_000)
    limits().learn(new Map([[webhook.id, { ...HEALTHY, probeAt }]]), new Date())
    expect(await claimAll()).to.deep.include({ claims: [], isMore: false })
  })

  it('takes no more in all than there is room for calls', async () => {
    for (let n = 0; n < 3; n++) await create()
    await publish(2)
    expect(await claim({ calls: 4 })).to.have.length(4)
    expect(await claim({ calls: 0 })).to.deep.equal([])
    expect(await claim({ calls: 4 })).to.have.length(2)
  })

  // decision: Direct retries
  it('takes direct retries while no call to Temporal may be made, and no more than there are free slots', async () => {
    const webhookId = await its.newWebhook()
    await publish(SLOTS + 1)
    await its.set('outbox', {}, { lane: directRetryQueue(webhookId) })
    expect(await claim({ calls: 0, direct: 10 })).to.have.length(SLOTS)
    expect(slots().free(holder(webhookId))).to.equal(0)
    expect(await claimAll({ calls: 0, direct: 10 })).to.deep.include({ claims: [], isMore: true })
    const rows = await waiting()
    expect(rows.filter(({ is_due, tries }) => is_due === 1 && tries === 0)).to.have.length(1)
    expect(await claim({ calls: 0 }), 'calls where workflows make first attempts').to.deep.equal([])
  })

  // decision: Calls under way
  it('takes no more first attempts that need a workflow than there are calls left, and lets direct ones of the webhook pass them', async () => {
    const webhookId = await its.newWebhook()
    await publish(SLOTS)
    await its.set('deliveries', { webhook_id: webhookId }, { in_temporal: 1 })
    expect(await claim({ calls: 1, direct: 10 })).to.have.length(1)
    expect((await waiting()).map(({ is_due }) => is_due)).to.deep.equal([0, 0])
    await publish(1)
    expect(await claim({ calls: 0, direct: 10 })).to.have.length(1)
    expect(slots().free(holder(webhookId))).to.equal(0)
  })

  it('has room of its own for commands that go over a whole webhook, which need no slot', async () => {
    const gone = await its.newWebhook()
    await create()
    await remove(gone)
    await publish(1)
    expect(await kinds({ calls: 0, pages: 0 })).to.deep.equal([])
    const [page] = await claim({ calls: 0, pages: 1 })
    expect(page).to.include({ kind: 'cancel-webhook' })
    expect(holderOfRow(page!)).to.equal(undefined)
    expect(slots().freeOfAll()).to.equal(100)
    expect(await kinds({ calls: 10, pages: 0 })).to.deep.equal(['start'])
  })
})

const SLOTS_OF_ALL = 3
const LEASE_MS = 60_000

// decision: Endpoints that fail
describe('first attempts of an endpoint that fails', () => {
  const its = useOperations()
  const { tenant, newWebhook } = its
  beforeEach(() => its.db('outbox').delete())

  const at = async (ms: number) => new Date((await databaseNow(its.db)).getTime() + ms)
  /** A webhook with waiting first attempts. Its next probe is due in `ms` milliseconds. */
  async function webhookWith(waiting: number, probeInMs = -1) {
    const webhookId = await newWebhook()
    await its.publish(waiting)
    await its.setHealth(webhookId, { consecutiveFailures: 20, probeAt: await at(probeInMs) })
    // Only this webhook's deliveries wait.
    await its.db('outbox').whereNot({ lane: webhookId }).delete()
    return webhookId
  }
  const healthOf = (webhookId: string) => its.db('webhook_health').where({ webhook_id: webhookId }).first()

  /** The part of a worker that claims rows. */
  function worker(owner: string, liveWorkers = 1) {
    const slots = new Slots({ limit: () => SLOTS_OF_ALL, capacity: 100, now: () => 0 })
    const limits = newLimits(its.deps, undefined, liveWorkers)
    const probes = new Probes(its.deps, { limits, owner, leaseMs: LEASE_MS })
    const finder = new CandidateFinder()
    let queues = new Map<string, string>()
    const room = { calls: 50, handovers: 0, keptForHandovers: 0, direct: 50, pages: 0 }
    return {
      slots,
      claim: async (): Promise<string[]> => {
        const options = { owner, leaseMs: LEASE_MS, isDirect: true, slots, limits, probes, finder }
        const { claims } = await claimRows(its.deps, room, options)
        queues = new Map(claims.map(({ row }) => [row.targetId, row.queue]))
        return [...queues.keys()]
      },
      /** Releases the latest claim as if no attempt of it was sent. */
      giveBack: (targetId: string) => probes.giveBack({ targetId, queue: queues.get(targetId)! }),
    }
  }

  it('are not claimed before the time of the next probe, which holds back no attempt that is due again', async () => {
    const webhookId = await webhookWith(2, 30_000)
    expect(await worker('w1').claim()).to.deep.equal([])
    const [due, retry] = [newId('delivery'), newId('delivery')]
    await enqueueCommands(its.db, tenant(), [
      { kind: 'due', targetId: due, queue: dueQueue(webhookId) },
      { kind: 'start', targetId: retry, queue: directRetryQueue(webhookId) },
    ])
    expect(await worker('w1').claim()).to.have.members([due, retry])
  })

  it('go one at a time, however many workers there are', async () => {
    const webhookId = await webhookWith(5)
    const claims = await Promise.all(['w1', 'w2', 'w3', 'w4'].map((owner) => worker(owner, 4).claim()))
    const [probe, ...more] = claims.flat()
    expect(more).to.deep.equal([])
    expect(await healthOf(webhookId)).to.include({ probe_delivery_id: probe })
    expect(await worker('w5').claim()).to.deep.equal([])
  })

  it('have a slot of their own that no other attempt takes', async () => {
    const webhookId = await webhookWith(5)
    const w1 = worker('w1')
    const holder = { companyId: tenant().companyId, webhookId }
    for (let taken = 0; taken < SLOTS_OF_ALL; taken++) w1.slots.take(holder, `del_${taken}`)
    const [probe, ...more] = await w1.claim()
    expect(more).to.deep.equal([])
    expect(w1.slots.take(holder, 'del_retry')).to.equal(undefined)
    const giveBack = w1.slots.take(holder, probe!)
    expect(giveBack).to.be.a('function')
    expect(w1.slots.take(holder, 'del_second_probe', true), 'one more, and not two').to.equal(undefined)
    giveBack!()
    expect(w1.slots.take(holder, 'del_without_reservation', true)).to.be.a('function')
  })

  it('give their probe back when there is none to send', async () => {
    const webhookId = await webhookWith(1)
    const { id } = await its.db('outbox').first('id')
    // Another worker is about to claim the row.
    await its.db.transaction(async (trx) => {
      await trx('outbox').where({ id }).forUpdate()
      expect(await worker('w1').claim()).to.deep.equal([])
    })
    expect(await healthOf(webhookId)).to.include({ probe_delivery_id: null })
    expect(await worker('w2').claim()).to.have.length(1)
  })

  it('make room for the next one when theirs was not sent', async () => {
    await webhookWith(2)
    const [w1, w2] = [worker('w1'), worker('w2')]
    const [probe] = await w1.claim()
    expect(await w2.claim()).to.deep.equal([])
    await w1.giveBack(probe!)
    const next = await until(w2.claim, ({ length }) => length > 0)
    expect(next).to.not.include(probe)
  })

  // decision: Locks
  it('do not keep others waiting when another transaction locks their health', async () => {
    const webhookId = await webhookWith(1)
    const neighbour = await newWebhook({ events: ['contact.updated'] })
    await its.publish(1, 'contact.updated')
    const lock = (trx: Db) => trx('webhook_health').where({ webhook_id: webhookId }).forUpdate()
    const claim = async () => expect(await worker('w1').claim()).to.have.length(1)
    const waits = await failedStatements(its.db, () => whileOpen(its.db, lock, claim))
    expect(waits).to.deep.equal([])
    const left = await its.db('outbox').whereNull('lease_owner').pluck('lane')
    expect(left).to.include(webhookId).and.not.include(neighbour)
  })

  it('come back at a rate that doubles, of all workers together', async () => {
    // Set the recovery a minute ahead, so that a slow test stays in the recovery's first second.
    await its.setHealth(await webhookWith(9), { recoveredAt: await at(60_000) })
    // In that second each of two workers may begin one attempt. Without the limit each has three slots.
    for (const owner of ['w1', 'w2']) expect(await worker(owner, 2).claim()).to.have.length(1)
  })
})
