// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { enqueueCommands } from '../../../src/db/outbox.ts'
import { takeLease } from '../../../src/db/workers.ts'
import { DAY_MS } from '../../../src/domain/instants.ts'
import type { Deps } from '../../../src/process/deps.ts'
import { startTicker } from '../../../src/process/ticker.ts'
import { createReconciler } from '../../../src/relay/reconciler.ts'
import { untilSomebodyWaitsForLock } from '../../support/lock-waits.ts'
import { useOperations } from '../../support/use-operations.ts'

/** A promise, and the function that resolves it. */
function signal() {
  let give: () => void = () => undefined
  const given = new Promise<void>((resolve) => (give = resolve))
  return { give, given }
}

describe('the reconciler', () => {
  const its = useOperations()
  const { queued } = its
  beforeEach(() => its.empty('leases', 'deliveries', 'outbox'))

  const LONG_AGO = new Date(Date.now() - 600_000)
  /** A delivery that was due long ago and that nothing will wake. */
  const forget = async (columns: object = { next_retry_at: LONG_AGO, wake_at: LONG_AGO }) =>
    its.insertOpen(await its.newWebhook(), columns)
  type Parts = Partial<Parameters<typeof createReconciler>[1]>
  function start({ prepareTemporal = () => Promise.resolve(), onQueued = () => undefined }: Parts) {
    const deps: Deps = { ...its.deps, config: { ...its.deps.config, reconcileAfterMs: 200 } }
    const reconciler = createReconciler(deps, { owner: 'w1', prepareTemporal, onQueued })
    const stopTicker = startTicker(reconciler.intervalMs, () => reconciler.run())
    return () => {
      reconciler.stop()
      return stopTicker()
    }
  }

  it('queues overdue and parked deliveries that nothing would wake, rings, and counts them', async () => {
    await forget()
    await forget({ wake_at: null, parked_at: LONG_AGO })
    const before = (await its.deps.metrics.reconciled.get()).values[0]?.value ?? 0
    const both = signal()
    let rings = 0
    const onQueued = () => {
      rings += 1
      if (rings === 2) both.give()
    }
    const stop = start({ onQueued })
    await both.given
    await stop()
    expect(await queued()).to.deep.equal(['wake', 'wake'])
    expect((await its.deps.metrics.reconciled.get()).values[0]?.value).to.equal(before + 2)
  })

  it('searches also while Temporal cannot be prepared', async () => {
    await forget()
    const rung = signal()
    const stop = start({ prepareTemporal: () => Promise.reject(new Error('away')), onQueued: rung.give })
    await rung.given
    await stop()
    expect(await queued()).to.deep.equal(['wake'])
  })

  // decision: Killed statements
  it('goes on at once when the server kills one of its statements', async () => {
    const [id] = await forget()
    const rival = await its.db.transaction()
    // The reconciler's insert waits for this one.
    await enqueueCommands(rival, its.tenant(), [{ kind: 'wake', targetId: id!, queue: 'calls' }])
    let rings = 0
    const parts = { prepareTemporal: () => Promise.resolve(), onQueued: () => void (rings += 1) }
    const deps: Deps = { ...its.deps, config: { ...its.deps.config, reconcileAfterMs: 200 } }
    const round = createReconciler(deps, { owner: 'w1', ...parts }).run()
    await untilSomebodyWaitsForLock(its.db)
    const killed = await its
      .db('information_schema.processlist')
      .whereRaw("db = DATABASE() AND info LIKE '%INTO outbox%' AND id <> CONNECTION_ID()")
      .pluck<number[]>('id')
    for (const thread of killed) await its.db.raw('KILL QUERY ?', [thread])
    await rival.rollback()
    await round
    expect({ rings, queued: await queued() }).to.deep.equal({ rings: 1, queued: ['wake'] })
  })

  it('prepares Temporal in every worker, and searches in one of them', async () => {
    await forget()
    await takeLease(its.db, 'reconciler', 'another worker', 60)
    const again = signal()
    let times = 0
    // Rounds do not overlap: when the second one prepares, the first one is over.
    const prepareTemporal = () => {
      times += 1
      if (times === 2) again.give()
      return Promise.resolve()
    }
    const stop = start({ prepareTemporal })
    await again.given
    await stop()
    expect(await queued()).to.deep.equal([])
  })

  // decision: Endpoints that fail for days
  it('deactivates webhooks whose endpoints failed for days, in the worker that searches', async () => {
    const id = await its.newWebhook()
    const since = new Date(Date.now() - 6 * DAY_MS)
    const counted = { since, latestAt: new Date(), attempts: 50, days: 3 }
    const fail = () => its.setHealth(id, { consecutiveFailures: 50, counted })
    await fail()
    const parts = { prepareTemporal: () => Promise.resolve(), onQueued: () => undefined }
    const isActive = async () => (await its.stateOf(id)).isActive
    await createReconciler(its.deps, { owner: 'w1', ...parts }).run()
    expect(await isActive()).to.equal(false)
    await its.setActive(id, true)
    await fail()
    await createReconciler(its.deps, { owner: 'w2', ...parts }).run()
    expect(await isActive()).to.equal(true)
  })

  it('waits at its end for what is under way, and begins no page after it was told to stop', async () => {
    await forget()
    const [begun, going] = [signal(), signal()]
    const stop = start({ prepareTemporal: () => (begun.give(), going.given) })
    await begun.given
    let isStopped = false
    const stopped = stop().then(() => (isStopped = true))
    await its.db.raw('SELECT 1')
    expect(isStopped).to.equal(false)
    going.give()
    await stopped
    expect(await queued()).to.deep.equal([])
  })
})
