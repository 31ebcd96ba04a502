import { expect } from 'chai'
import { PAST_WEBHOOKS, planHistory } from '../../../scripts/demo/history-plan.mjs'
import { writeHistory } from '../../../scripts/demo/history.mjs'
import type { EventType } from '../../../src/domain/event/types.ts'
import { attemptsIn } from '../../../src/domain/webhook/stats.ts'
import { getWebhook, viewWebhook } from '../../../src/operations/webhook/read.ts'
import { readWebhookStats } from '../../../src/operations/webhook/read-stats.ts'
import { expectSoundRows } from '../../support/invariants.ts'
import { useOperations } from '../../support/use-operations.ts'

describe('the two weeks of history that the demo begins with', () => {
  const its = useOperations()
  const { tenant } = its

  it('is over before the demo begins, and shows one endpoint that fails for two days', () => {
    const now = new Date('2026-03-04T12:00:00.000Z')
    const history = planHistory(now)
    for (const { createdAt, attempts } of history) {
      const last = attempts.at(-1)!
      expect(last.startedAt.getTime() + last.durationMs).to.be.below(now.getTime())
      expect(now.getTime() - createdAt.getTime()).to.be.at.most(14 * 86_400_000)
    }
    const failed = history.filter(({ status }) => status === 'failed')
    expect(new Set(failed.map(({ webhook }) => webhook))).to.deep.equal(new Set(['crm']))
    expect(now.getTime() - failed[0]!.createdAt.getTime()).to.be.at.most(2 * 86_400_000)
  })

  it('leaves rows, counters, statistics and health as the service would have', async () => {
    const webhookIds: Record<string, string> = {}
    for (const [name, { webhook }] of Object.entries(PAST_WEBHOOKS)) {
      const events = webhook.events as EventType[]
      webhookIds[name] = await its.newWebhook({ name: webhook.name, events })
    }
    const keyId = (await its.keyring.create()).id
    const owners = { companyId: tenant().companyId, keyId, webhookIds }
    const history = await writeHistory(its.database.url, owners)
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
