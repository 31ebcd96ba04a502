// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { recordBatch } from '../../../../src/attempts/record-batch.ts'
import { findDelivery, type FoundDelivery } from '../../../../src/db/delivery/deliveries.ts'
import { parkDelivery, unparkDeliveries } from '../../../../src/db/system/parked-deliveries.ts'
import type { Deps } from '../../../../src/process/deps.ts'
import { retryDelivery } from '../../../../src/operations/delivery/retry.ts'
import { madeAttempt } from '../../../support/made-attempts.ts'
import { useOperations } from '../../../support/use-operations.ts'

/** Longer than retries count as one. */
const LATER_MS = 5_000
const MAX_RETRIES = 2

describe('a manual retry while the webhook is inactive', () => {
  const its = useOperations()
  const { tenant } = its

  /** One delivery of a webhook of its own, and what may happen to it. No worker runs: the test is the worker. */
  async function openDelivery() {
    const { webhook } = await its.create({ maxRetries: MAX_RETRIES })
    await its.publish()
    const { id } = (await its.rowsOf(webhook.id))[0]!
    let nowMs = Date.now()
    const later: Deps = { ...its.deps, clock: () => new Date((nowMs += LATER_MS)) }
    const shown = async (): Promise<FoundDelivery> => (await findDelivery(its.db, tenant(), webhook.id, id))!
    return {
      shown,
      deactivate: () => its.setActive(webhook.id, false),
      park: () => parkDelivery(its.db, id, webhook.id),
      async activate() {
        await its.setActive(webhook.id, true)
        const of = { webhookId: webhook.id, companyId: tenant().companyId }
        await unparkDeliveries(its.db, of, { from: undefined, limit: 500 })
      },
      /** A retry 5 s after the one before. */
      retry: () => retryDelivery(later, tenant(), webhook.id, id, new Date(nowMs + LATER_MS)),
      /** What the gate reads; the attempt it lets go fails when it is recorded. */
      async attempt() {
        const { attempts, retrySeq } = await shown()
        const gate = { attemptsAtGate: attempts, retrySeqAtGate: retrySeq }
        const outcome = { kind: 'unreachable', reason: 'connect_error', durationMs: 5 } as const
        const made = madeAttempt(id, webhook.id, outcome, gate)
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
    'pending and parked': async (it) => {
      await it.deactivate()
      await it.park()
    },
    'in its back-off and not parked yet': async (it) => {
      await it.fail()
      await it.deactivate()
    },
    'in its back-off and parked': async (it) => {
      await it.fail()
      await it.deactivate()
      await it.park()
    },
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

  it('goes out at once, and says so, when the webhook is active', async () => {
    const it = await openDelivery()
    await it.fail()
    expect(await it.retry()).to.equal(null)
  })
})
