// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { ofTenant } from '../../../src/db/tenant.ts'
import { toHealthRow } from '../../../src/db/webhook/health.ts'
import { HEALTHY } from '../../../src/domain/webhook/health.ts'
import { getWebhook } from '../../../src/operations/webhook/read.ts'
import { BacklogLimit } from '../../../src/relay/backlog-limit.ts'
import { DeliveryFigures } from '../../../src/relay/delivery-figures.ts'
import { testDeps } from '../../support/deps.ts'
import { noticesAbout } from '../../support/notices.ts'
import { useOperations } from '../../support/use-operations.ts'

// decision: Backlog
describe('a webhook for which many deliveries wait', () => {
  const its = useOperations()
  const { tenant, create, audited } = its
  beforeEach(() => its.db('webhook_counters').delete())

  const LIMIT = 5
  const { publish } = its
  const look = () => {
    const deps = testDeps(its.database, { WEBHOOK_BACKLOG: String(LIMIT) })
    return new BacklogLimit(deps, new DeliveryFigures(deps)).look()
  }
  const shown = async (id: string) => {
    const { isActive, deactivatedReason } = await getWebhook(its.deps, tenant(), id)
    return { isActive, deactivatedReason }
  }
  const recover = (webhookId: string, agoMs: number) =>
    its
      .db('webhook_health')
      .insert(toHealthRow(webhookId, { ...HEALTHY, recoveredAt: new Date(Date.now() - agoMs) }, new Date()))

  it('is deactivated beyond the limit and not at it, and what waits stays', async () => {
    const { webhook } = await create()
    await publish(LIMIT)
    await look()
    expect(await shown(webhook.id)).to.deep.equal({ isActive: true, deactivatedReason: null })
    await publish(1)
    await look()
    expect(await shown(webhook.id)).to.deep.equal({ isActive: false, deactivatedReason: 'backlog' })
    expect((await audited(webhook.id)).at(-1)).to.equal(
      `webhook.deactivate ${JSON.stringify({ reason: 'backlog', waiting: LIMIT + 1 })}`,
    )
    const open = its.db('deliveries').where({ webhook_id: webhook.id, status: 'pending' })
    expect(await open).to.have.length(LIMIT + 1)
    const [notice, ...others] = await noticesAbout(its.db, webhook.id)
    expect(others).to.deep.equal([])
    expect(notice).to.include({ kind: 'webhook_backlog', total: LIMIT + 1, ...ofTenant(tenant()) })
  })

  it('is left alone up to twice the limit when it was activated or recovered a moment ago', async () => {
    const { webhook } = await create()
    await recover(webhook.id, 60_000)
    await publish(2 * LIMIT)
    await look()
    expect(await shown(webhook.id)).to.include({ isActive: true })
    await publish(1)
    await look()
    expect(await shown(webhook.id)).to.include({ isActive: false })
  })

  // decision: Suspended companies
  it('is left alone while its company is suspended', async () => {
    const { webhook } = await create()
    await publish(2 * LIMIT + 1)
    await its.suspend()
    await look()
    expect(await shown(webhook.id)).to.include({ isActive: true })
    await its.resume()
    await look()
    expect(await shown(webhook.id)).to.include({ isActive: false })
  })

  it('is deactivated when its recovery is long ago', async () => {
    const { webhook } = await create()
    await recover(webhook.id, 3_600_000)
    await publish(LIMIT + 1)
    await look()
    expect(await shown(webhook.id)).to.include({ isActive: false })
  })
})
