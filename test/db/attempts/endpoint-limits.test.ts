import { expect } from 'chai'
import type { EndpointLimits } from '../../../src/attempts/endpoint-limits.ts'
import { databaseNow } from '../../../src/db/clock.ts'
import { toHealthRow } from '../../../src/db/webhook/health.ts'
import { purgeHealth } from '../../../src/db/system/purge.ts'
import { HEALTHY, type EndpointHealth } from '../../../src/domain/webhook/health.ts'
import { newId } from '../../../src/domain/ids.ts'
import { newLimits } from '../../support/endpoint-limits.ts'
import { useOperations } from '../../support/use-operations.ts'

const FAILING: Partial<EndpointHealth> = { consecutiveFailures: 20, probeAt: new Date('2099-01-01') }

describe('what a worker knows of endpoints that limit their first attempts', () => {
  const its = useOperations()
  const { create } = its
  let nowMs = 0
  let limits: EndpointLimits
  beforeEach(async () => {
    nowMs = 0
    await its.db('webhook_health').delete()
    limits = newLimits(its.deps, () => nowMs)
  })

  /** What another worker has recorded. */
  async function record(webhookId: string, health: Partial<EndpointHealth>): Promise<void> {
    const row = toHealthRow(webhookId, { ...HEALTHY, ...health }, await databaseNow(its.db))
    await its.db('webhook_health').insert(row).onConflict('webhook_id').merge()
  }
  const kindAfter = async (ms: number, webhookId: string) => {
    nowMs += ms
    await limits.refresh()
    return limits.admission(webhookId).kind
  }

  // decision: Who sends the probe
  it('follows what others record, a quarter of a second later', async () => {
    const id = newId('webhook')
    expect(await kindAfter(0, id)).to.equal('free')
    await record(id, FAILING)
    expect(await kindAfter(200, id)).to.equal('free')
    expect(await kindAfter(50, id)).to.equal('hold')
    await record(id, {})
    expect(await kindAfter(250, id)).to.equal('free')
  })

  it('misses nothing of others because it has recorded something itself', async () => {
    const id = newId('webhook')
    await limits.refresh()
    await record(id, FAILING)
    const later = new Date((await databaseNow(its.db)).getTime() + 10_000)
    limits.learn(new Map([[newId('webhook'), { ...HEALTHY, recoveredAt: later }]]), later)
    expect(await kindAfter(250, id)).to.equal('hold')
  })

  it('is what it has recorded itself at once', async () => {
    const id = newId('webhook')
    await limits.refresh()
    limits.learn(new Map([[id, { ...HEALTHY, ...FAILING }]]), new Date())
    expect(limits.admission(id).kind).to.equal('hold')
    expect(limits.isFailing(id)).to.equal(true)
    expect(limits.failing).to.equal(1)
  })

  it('forgets deleted webhooks, whose rows the purge removes', async () => {
    const { webhook } = await create()
    await record(webhook.id, FAILING)
    expect(await kindAfter(0, webhook.id)).to.equal('hold')
    await its.db('webhooks').where({ id: webhook.id }).update({ deleted_at: new Date() })
    expect(await purgeHealth(its.db, 10)).to.equal(1)
    expect(await kindAfter(30_000, webhook.id)).to.equal('free')
  })
})
