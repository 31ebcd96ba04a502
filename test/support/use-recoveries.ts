import { COMMAND_LINE } from '../../src/domain/actor.ts'
import { mostUnderWay, type Recovery } from '../../src/domain/recovery/recovery.ts'
import type { DeliveryRow } from '../../src/db/delivery/rows.ts'
import { readPage } from '../../src/activities/recovery-page.ts'
import { readRecovery } from '../../src/db/recovery/rows.ts'
import { queueRecoveryPage, type PageResult } from '../../src/db/recovery/pages.ts'
import type { SystemDeps } from '../../src/deps/deps.ts'
import { addToCounters } from '../../src/db/webhook/counters.ts'
import type { RecoveryInput } from '../../src/operations/recovery/read.ts'
import { startRecovery } from '../../src/operations/recovery/change.ts'
import { useOperations } from './use-operations.ts'

const MINUTE_MS = 60_000

/** Recoveries of the test's own webhooks. No worker runs: the test does its work. */
export function useRecoveries() {
  const its = useOperations()
  const { tenant } = its
  const db = () => its.db
  /** Creation times of failed deliveries, one a minute, up to an hour ago. */
  const startMs = Date.now() - 20 * 60 * MINUTE_MS
  const minute = (number: number): Date => new Date(startMs + number * MINUTE_MS)

  let latestMs = Date.now()

  /** Inserts failed deliveries, created a minute apart, and counts them in the webhook's counters. */
  async function insertFailed(webhookId: string, count: number, columns: Partial<DeliveryRow> = {}) {
    const ids: string[] = []
    for (let number = 0; number < count; number++) {
      const failed = { status: 'failed' as const, closed_reason: 'attempts_used' as const }
      const times = { created_at: minute(number), wake_at: null, next_retry_at: null, closed_at: new Date() }
      const all = { ...failed, ...times, in_temporal: 0, ...columns }
      ids.push(...(await its.insertOpen(webhookId, all)))
    }
    await addToCounters(db(), [{ webhookId, changes: { failed: count } }])
    return ids
  }

  /** The clock stands still, so counting the recovery's deliveries never runs out of time. */
  function start(webhookId: string, input: Partial<RecoveryInput> = {}): Promise<Recovery> {
    const now = its.deps.clock()
    const deps = { ...its.deps, clock: () => now }
    const asked = { kind: 'failed' as const, since: minute(0), ...input }
    return startRecovery(deps, tenant(), COMMAND_LINE, webhookId, asked)
  }

  /** Runs one page, as the activity does. */
  async function page(recoveryId: string, options: PageOptions = {}): Promise<PageResult> {
    const { limit = 20, hasNoRun = true, between, isStopping = () => false, clock = its.deps.clock } = options
    const { slots = its.deps.config.webhookConcurrency } = options
    const state = (await readRecovery(db(), recoveryId))!
    const run = { describe: () => Promise.resolve({ status: { name: hasNoRun ? 'COMPLETED' : 'RUNNING' } }) }
    const temporal = {
      withDeadline: (_: number, ask: () => unknown) => ask(),
      workflow: { getHandle: () => run },
    }
    const deps = { ...its.deps, clock, temporal: temporal as unknown as SystemDeps['temporal'] }
    const read = await readPage(deps, state, limit, isStopping)
    await between?.()
    const { recovery, cursor, isFailing } = state
    const most = mostUnderWay(slots, isFailing)
    const of = { recoveryId, webhookId: recovery.webhookId, cursor }
    return queueRecoveryPage(db(), { ...of, ...read, mostUnderWay: most })
  }

  /** Ends the attempt of each delivery in the given order. */
  async function settle(ids: readonly string[], isSuccess: boolean): Promise<void> {
    for (const id of ids) {
      const { attempts, webhook_id: webhookId } = await its.rowOf(id)
      // The order of attempts follows their end times, in milliseconds.
      const startedAt = new Date(++latestMs)
      const attempt = { delivery_id: id, number: attempts + 1, started_at: startedAt, duration_ms: 0 }
      await db()('attempts').insert({ ...attempt, trigger: 'recovery', response_code: isSuccess ? 200 : 500 })
      const ended = isSuccess ? { status: 'success', closed_at: new Date(), wake_at: null } : {}
      await its.set('deliveries', { id }, { attempts: attempts + 1, ...ended })
      if (isSuccess) await addToCounters(db(), [{ webhookId, changes: { retrying: -1, success: 1 } }])
      await db()('outbox').where({ subject_id: id }).delete()
    }
  }

  return {
    its,
    db,
    tenant,
    minute,
    insertFailed,
    start,
    page,
    settle,
    shown: async (id: string): Promise<Recovery> => (await readRecovery(db(), id))!.recovery,
    startsOf: (webhookId: string): Promise<string[]> =>
      db()('outbox').where({ kind: 'start', lane: webhookId }).orderBy('id').pluck('subject_id'),
  }
}

type PageOptions = {
  /** The most deliveries that it may bring. */
  readonly limit?: number
  /** WEBHOOK_CONCURRENCY. The default is the test's. */
  readonly slots?: number
  /** The workflow states that Temporal reports for failed deliveries. */
  readonly hasNoRun?: boolean
  readonly isStopping?: () => boolean
  readonly clock?: () => Date
  /** Runs after the recovery read the candidates, and before it queues the page. */
  readonly between?: () => Promise<unknown>
}
