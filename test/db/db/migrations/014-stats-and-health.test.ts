import { expect } from 'chai'
import { statsAndHealth } from '../../../../src/db/migrations/014-stats-and-health.ts'
import { drop } from '../../../../src/db/migrations/migration.ts'
import { readCounters, toWebhookCounters } from '../../../../src/db/webhook/counters.ts'
import { readHealth } from '../../../../src/db/webhook/health.ts'
import { NONE_COUNTED } from '../../../../src/domain/webhook/long-failure.ts'
import { useOperations } from '../../../support/use-operations.ts'
import { insertWebhooks } from '../../../support/webhook-rows.ts'

describe('the migration of statistics and health', () => {
  const its = useOperations()

  it('keeps what the former schema knows of endpoints and deliveries, and takes itself back', async () => {
    for (const entry of statsAndHealth.down) await its.db.raw(drop(entry))
    const [id = ''] = await insertWebhooks(its.db, its.tenant(), 1, ['contact.created'])
    const since = new Date('2026-01-05T12:00:00.000Z')
    await its.db('webhook_health').insert({
      ...{ webhook_id: id, consecutive_failures: 30, failing_since: since, probe_at: since },
      changed_at: since,
    })
    await its.db('webhook_counters').insert({
      ...{ webhook_id: id, shard: 3, pending: 1, retrying: 2, success: 7, last_triggered_at: since },
    })
    for (const statement of statsAndHealth.up) await its.db.raw(statement)
    expect((await readHealth(its.db, its.tenant(), id))?.health).to.deep.include({
      ...{ consecutiveFailures: 30, failingSince: since, probeAt: since },
      ...{ lastError: null, counted: NONE_COUNTED, warnedAt: null },
    })
    const counters = (await readCounters(its.db, its.tenant(), [id])).get(id)
    expect(toWebhookCounters(counters)).to.deep.include({
      ...{ successfulDeliveries: 7, waiting: 3, lastTriggeredAt: since, lastSuccessAt: null },
    })
    expect(await its.db('webhook_stats_hours')).to.deep.equal([])
  })
})
