import { expect } from 'chai'
import { PAST_WEBHOOKS } from '../../../scripts/demo/history-plan.ts'
import { writeHistory } from '../../../scripts/demo/history.ts'
import { attemptsIn } from '../../../src/domain/webhook/stats.ts'
import { getWebhook, viewWebhook } from '../../../src/operations/webhook/read.ts'
import { readWebhookStats } from '../../../src/operations/webhook/read-stats.ts'
import { expectSoundRows } from '../../support/invariants.ts'
import { useOperations } from '../../support/use-operations.ts'

describe('the two weeks of history that the demo begins with', () => {
  const its = useOperations()
  const { tenant } = its

  it('is over before the demo begins, and leaves rows, counters, statistics and health as the service would have', async () => {
    const webhookIds: Record<string, string> = {}
    for (const [name, webhook] of Object.entries(PAST_WEBHOOKS))
      webhookIds[name] = await its.newWebhook({ name: webhook.name, events: [...webhook.events] })
    const keyId = (await its.keyring.create()).id
    const owners = { companyId: tenant().companyId, keyId, webhookIds }
    const history = await writeHistory(its.database.url, owners)
    for (const { startedAt, durationMs } of history.flatMap(({ attempts }) => attempts))
      expect(startedAt.getTime() + durationMs).to.be.below(Date.now())
    await expectSoundRows(its.db)
    for (const [name, id] of Object.entries(webhookIds)) {
      const planned = history.filter(({ webhook }) => webhook === name)
      const { health } = await viewWebhook(its.deps, tenant(), await getWebhook(its.deps, tenant(), id))
      expect(health.failingSince !== null, name).to.equal(name === 'crm')
      const { totals } = await readWebhookStats(its.deps, tenant(), id, '30d')
      expect(attemptsIn(totals), name).to.equal(planned.flatMap(({ attempts }) => attempts).length)
    }
  })
})
