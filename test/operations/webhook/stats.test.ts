import { expect } from 'chai'
import { addToHours } from '../../../src/db/system/attempt-stats.js'
import { databaseNow } from '../../../src/db/clock.js'
import { DAY_MS, floorTo, HOUR_MS } from '../../../src/domain/instants.js'
import { attemptsIn, NO_FIGURES, withAttempt } from '../../../src/domain/webhook/stats.js'
import { STATS_WINDOWS } from '../../../src/domain/webhook/stats-window.js'
import { readWebhookStats } from '../../../src/operations/webhook/stats.js'
import { foreignTenants } from '../../support/foreign-tenants.js'
import { useOperations } from '../../support/use-operations.js'
import { useWebhooks } from '../../support/use-webhooks.js'

describe('reading the statistics of a webhook', () => {
  const its = useOperations()
  const { tenant, create } = useWebhooks(its)

  // decision: Windows of statistics
  it('gives what happened within each window, to the tenant of the webhook alone', async () => {
    const { id: webhookId } = (await create()).webhook
    const { db } = its.database
    const now = await databaseNow(db)
    const figures = withAttempt(NO_FIGURES, { kind: 'unreachable', reason: 'dns_error', durationMs: 3 })
    for (const agoMs of [0, 23 * HOUR_MS, 24 * HOUR_MS, 6 * DAY_MS, 7 * DAY_MS, 29 * DAY_MS, 30 * DAY_MS]) {
      const startsAt = floorTo(new Date(now.getTime() - agoMs), HOUR_MS)
      await addToHours(db, 2, [{ webhookId, startsAt, figures }])
    }
    const attempts = (owner = tenant()) =>
      Promise.all(
        STATS_WINDOWS.map(async (window) =>
          attemptsIn((await readWebhookStats(its.deps, owner, webhookId, window)).totals),
        ),
      )
    expect(await attempts()).to.deep.equal([2, 4, 6])
    for (const other of foreignTenants(tenant())) expect(await attempts(other)).to.deep.equal([0, 0, 0])
  })
})
