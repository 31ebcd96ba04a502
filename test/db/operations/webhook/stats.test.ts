import { expect } from 'chai'
import { addToHours } from '../../../../src/db/system/attempt-stats.ts'
import { databaseNow } from '../../../../src/db/clock.ts'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { DAY_MS, floorTo, HOUR_MS } from '../../../../src/domain/instants.ts'
import { attemptsIn, NO_FIGURES, withAttempt } from '../../../../src/domain/webhook/stats.ts'
import { STATS_WINDOWS } from '../../../../src/domain/webhook/stats-window.ts'
import { deleteWebhook } from '../../../../src/operations/webhook/change.ts'
import {
  readStatsByWebhook,
  readTenantStats,
  readWebhookStats,
} from '../../../../src/operations/webhook/stats.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('reading the statistics of a webhook', () => {
  const its = useOperations()
  const { tenant, create } = its

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

  it('adds up those of all webhooks of a tenant, and gives each of a list its own, but none that is deleted', async () => {
    const { db } = its.database
    const hour = floorTo(await databaseNow(db), HOUR_MS)
    const ids = []
    for (const durationMs of [3, 30, 300]) {
      const { id: webhookId } = (await create()).webhook
      const figures = withAttempt(NO_FIGURES, { kind: 'unreachable', reason: 'dns_error', durationMs })
      await addToHours(db, 1, [{ webhookId, startsAt: hour, figures }])
      ids.push(webhookId)
    }
    const silent = (await create()).webhook.id
    const [kept = '', , deleted = ''] = ids
    await deleteWebhook(its.deps, tenant(), COMMAND_LINE, deleted)
    const all = async (owner = tenant()) => attemptsIn((await readTenantStats(its.deps, owner, '24h')).totals)
    const each = async (owner = tenant()) =>
      [...(await readStatsByWebhook(its.deps, owner, [kept, deleted, silent], '24h'))].map(
        ([id, { totals }]) => [id, attemptsIn(totals)],
      )
    expect([await all(), await each()]).to.deep.equal([
      2,
      [
        [kept, 1],
        [silent, 0],
      ],
    ])
    for (const foreign of foreignTenants(tenant()))
      expect([await all(foreign), await each(foreign)]).to.deep.equal([0, []])
  })
})
