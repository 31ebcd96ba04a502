import { expect } from 'chai'
import { addToCounters } from '../../../../src/db/webhook/counters.ts'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { HEALTHY } from '../../../../src/domain/webhook/health.ts'
import { deleteWebhook } from '../../../../src/operations/webhook/change.ts'
import { getWebhook, listWebhooks, viewWebhook } from '../../../../src/operations/webhook/read.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('reading webhooks', () => {
  const its = useOperations()
  const { tenant, create } = its
  const list = async (page: number, limit: number, isActive?: boolean, owner = tenant()) => {
    const { items, total } = await listWebhooks(its.deps, owner, { page, limit }, { isActive })
    return { ids: items.map(({ webhook }) => webhook.id), total }
  }

  it('answers foreign, unknown, deleted and malformed ids alike', async () => {
    const { id } = (await create()).webhook
    const deleted = (await create()).webhook.id
    await deleteWebhook(its.deps, tenant(), COMMAND_LINE, deleted)
    for (const [owner, wanted] of [
      ...foreignTenants(tenant()).map((other) => [other, id] as const),
      ...[newId('webhook'), deleted, 'whk_1', `${id} `, id.toUpperCase()].map(
        (other) => [tenant(), other] as const,
      ),
    ]) {
      expect(await refusalOf(getWebhook(its.deps, owner, wanted)), wanted).to.equal(
        'NOT_FOUND: Webhook not found.',
      )
    }
    expect(await getWebhook(its.deps, tenant(), id)).to.include({ id })
  })

  it('lists those of the tenant, newest first, page by page', async () => {
    const ids: string[] = []
    for (let n = 0; n < 3; n++) {
      const { id } = (await create()).webhook
      await its.set('webhooks', { id }, { created_at: new Date(Date.UTC(2026, 0, n + 1)) })
      ids.unshift(id)
    }
    expect(await list(1, 2)).to.deep.equal({ ids: ids.slice(0, 2), total: 3 })
    expect(await list(2, 2)).to.deep.equal({ ids: ids.slice(2), total: 3 })
    for (const other of foreignTenants(tenant())) {
      expect(await list(1, 2, undefined, other)).to.deep.equal({ ids: [], total: 0 })
    }
  })

  it('lists only active or only inactive ones on request', async () => {
    const active = (await create()).webhook.id
    const inactive = (await create({ isActive: false })).webhook.id
    expect(await list(1, 9, true)).to.deep.equal({ ids: [active], total: 1 })
    expect(await list(1, 9, false)).to.deep.equal({ ids: [inactive], total: 1 })
    expect((await list(1, 9)).ids).to.have.members([active, inactive])
  })

  it('shows each with its headers in clear and its own delivery figures', async () => {
    const quiet = await create()
    const { webhook } = await create({ headers: { 'X-A': 'b' } })
    const triggeredAt = new Date('2026-02-01T00:00:00.000Z')
    const changes = { pending: 1, retrying: 2, success: 3, failed: 4 }
    await addToCounters(its.db, [{ webhookId: webhook.id, changes, triggeredAt }])
    expect(await viewWebhook(its.deps, tenant(), webhook)).to.deep.equal({
      webhook,
      headers: { 'X-A': 'b' },
      counters: {
        ...{ totalDeliveries: 10, successfulDeliveries: 3, failedDeliveries: 4, waiting: 3 },
        ...{ lastTriggeredAt: triggeredAt, lastSuccessAt: null },
      },
      ...{ health: HEALTHY, holdsFirstAttempts: false },
    })
    expect(await viewWebhook(its.deps, tenant(), quiet.webhook)).to.deep.include({
      headers: {},
      counters: {
        ...{ totalDeliveries: 0, successfulDeliveries: 0, failedDeliveries: 0, waiting: 0 },
        ...{ lastTriggeredAt: null, lastSuccessAt: null },
      },
    })
  })
})
