// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { restartForgottenRecoveries } from '../../../../src/db/recovery/wakes.ts'
import { purgeOlder } from '../../../../src/db/purge/history.ts'
import { COUNTED_AT_MOST, type Recovery } from '../../../../src/domain/recovery/recovery.ts'
import { cancelRecovery } from '../../../../src/operations/recovery/change.ts'
import { listRecoveries, countRecoverable } from '../../../../src/operations/recovery/read.ts'
import { refusalOf } from '../../../support/use-operations.ts'
import { giveTurnsIfFree, listWaitingCompanies } from '../../../../src/db/recovery/turns.ts'
import type { RelayContext } from '../../../../src/relay/context.ts'
import { setRecovery } from '../../../../src/relay/commands.ts'
import { lockCompany } from '../../../../src/db/companies.ts'
import type { Db } from '../../../../src/db/connection/connection.ts'
import { whileOpen } from '../../../support/lock-waits.ts'
import { failedStatements } from '../../../support/rows-read.ts'
import { useRecoveries } from '../../../support/use-recoveries.ts'

describe('a recovery', () => {
  const use = useRecoveries()
  const { its } = use
  const { insertFailed, start, page, shown, tenant } = use
  const { newWebhook } = its
  const cancel = (webhookId: string, id: string) =>
    cancelRecovery(its.deps, tenant(), COMMAND_LINE, { webhookId, id })

  const startMany = async (count: number): Promise<Recovery[]> => {
    const started: Recovery[] = []
    while (started.length < count) started.push(await start(await newWebhook()))
    return started
  }
  /** The first letters of the recoveries' states, in order. */
  const statesOf = async (started: readonly Recovery[]) =>
    (await Promise.all(started.map(({ id }) => shown(id)))).map(({ state }) => state[0]).join('')

  it('knows how many it will bring, and is in the audit and in the outbox', async () => {
    const webhookId = await newWebhook()
    await insertFailed(webhookId, 3)
    const { id, ...started } = await start(webhookId)
    expect(started).to.include({ total: 3, queued: 0, state: 'running' })
    expect(await its.queued()).to.deep.equal(['recover'])
    expect((await its.audited(webhookId)).at(-1)).to.match(new RegExp(`^webhook.recover .*${id}`))
  })

  // decision: `total` of a recovery
  it('does not count beyond 10,000, and tells the number when it is done', async () => {
    const webhookId = await newWebhook()
    const columns = { status: 'failed' as const, wake_at: null, created_at: use.minute(1), in_temporal: 0 }
    await its.insertOpen(webhookId, columns, COUNTED_AT_MOST)
    const exact = await start(webhookId)
    expect(exact.total).to.equal(COUNTED_AT_MOST)
    const what = { kind: 'failed', since: use.minute(0) } as const
    const wouldBring = () => countRecoverable(its.deps, tenant(), webhookId, what, its.deps.clock())
    expect((await wouldBring()).total).to.equal(COUNTED_AT_MOST)
    await cancel(webhookId, exact.id)
    await its.insertOpen(webhookId, columns)
    const { id, total } = await start(webhookId)
    expect([total, (await wouldBring()).total]).to.deep.equal([null, null])
    const surplus = its.db('deliveries').where({ webhook_id: webhookId })
    await surplus.limit(COUNTED_AT_MOST - 4).delete()
    await page(id)
    await its.db('recovery_deliveries').where({ recovery_id: id }).delete()
    await page(id)
    expect(await shown(id)).to.include({ state: 'done', total: 5, queued: 5 })
  })

  // decision: One recovery of a webhook
  it('runs alone for its webhook: another one is CONFLICT until it is over', async () => {
    const webhookId = await newWebhook()
    const first = await start(webhookId)
    expect(await refusalOf(start(webhookId))).to.match(new RegExp(`^CONFLICT: .*${first.id}`))
    expect((await start(await newWebhook())).state).to.equal('running')
    await cancel(webhookId, first.id)
    expect((await start(webhookId)).state).to.equal('running')
  })

  // decision: A recovery of a failing endpoint
  it('is CONFLICT while the endpoint fails, unless it is forced; it says first that another one is open', async () => {
    const webhookId = await newWebhook()
    await its.setHealth(webhookId, { probeAt: new Date(), consecutiveFailures: 20 })
    expect(await refusalOf(start(webhookId))).to.match(/^CONFLICT: .*endpoint_failing.*"force"/)
    const forced = await start(webhookId, { force: true })
    expect(forced).to.include({ state: 'running', waitsFor: 'endpoint_failing' })
    const window = { since: use.minute(5), until: use.minute(5) }
    expect(await refusalOf(start(webhookId, window))).to.match(new RegExp(`^CONFLICT: .*${forced.id}`))
  })

  // decision: Five recoveries of a company
  it('runs beside four others of its company; more of them wait, and the oldest takes a place that becomes free', async () => {
    const started = await startMany(8)
    const states = () => statesOf(started)
    expect(await states()).to.equal('rrrrrqqq')
    expect(await its.queued()).to.have.length(5)
    await cancel(started[1]!.webhookId, started[1]!.id)
    expect(await states()).to.equal('rcrrrrqq')
    await page(started[0]!.id)
    expect(await states()).to.equal('dcrrrrrq')
    const last = started[7]!
    expect(await refusalOf(start(last.webhookId))).to.match(new RegExp(`^CONFLICT: .*its turn: ${last.id}`))
    await its.remove(last.webhookId)
    expect(await states()).to.equal('dcrrrrrc')
    expect(await shown(last.id)).to.include({ stoppedReason: 'webhook_deleted' })
  })

  it('takes no place twice, however many begin and end at once', async () => {
    const webhooks = await Promise.all(Array.from({ length: 12 }, () => newWebhook()))
    const started = await Promise.all(webhooks.map((webhookId) => start(webhookId)))
    const states = async () => (await statesOf(started)).split('').sort().join('')
    expect(await states()).to.equal('qqqqqqqrrrrr')
    await Promise.all(started.slice(0, 8).map(({ webhookId, id }) => cancel(webhookId, id)))
    expect(await states()).to.equal('ccccccccrrrr')
  })

  it('has its turn from the reconciler where nothing gave it one', async () => {
    const started = await startMany(6)
    await its.set('recoveries', { id: started[0]!.id }, { state: 'done', running_webhook_id: null })
    expect(await listWaitingCompanies(its.db, 100)).to.include(tenant().companyId)
    const give = () => giveTurnsIfFree(its.db, tenant().companyId)
    const lock = (trx: Db) => lockCompany(trx, tenant().companyId)
    const waits = await failedStatements(its.db, () => whileOpen(its.db, lock, give))
    expect([waits, (await shown(started[5]!.id)).state]).to.deep.equal([[], 'queued'])
    await give()
    expect((await shown(started[5]!.id)).state).to.equal('running')
  })

  // decision: The window of a recovery
  it('has a window that ends now at the latest, and refuses one that ends before it begins', async () => {
    const webhookId = await newWebhook()
    const future = new Date(Date.now() + 3_600_000)
    expect(await refusalOf(start(webhookId, { since: future }))).to.match(/^VALIDATION_ERROR: "since"/)
    const window = { since: use.minute(5), until: use.minute(5) }
    expect(await refusalOf(start(webhookId, window))).to.match(/^VALIDATION_ERROR: "since"/)
    const { until, createdAt } = await start(webhookId, { until: future })
    expect(until).to.deep.equal(createdAt)
  })

  it('is cancelled once: it queues nothing more, and what it queued goes on', async () => {
    const webhookId = await newWebhook()
    const ids = await insertFailed(webhookId, 3)
    const { id } = await start(webhookId)
    await page(id, { limit: 1 })
    const cancelled = { state: 'cancelled', stoppedReason: 'requested', queued: 1 }
    for (let time = 0; time < 2; time++) expect(await cancel(webhookId, id)).to.include(cancelled)
    expect(await page(id)).to.deep.equal({ kind: 'over' })
    expect(await use.startsOf(webhookId)).to.deep.equal([ids[0]])
    const actions = ['webhook.create', 'webhook.recover', 'webhook.cancel_recovery']
    expect(await its.actions(webhookId)).to.deep.equal(actions)
  })

  // decision: The list of recoveries
  it('is listed newest first, in parts, for a company or one webhook', async () => {
    const webhooks = [await newWebhook(), await newWebhook(), await newWebhook()]
    const ids: string[] = []
    for (const webhookId of webhooks) ids.unshift((await start(webhookId)).id)
    const list = async (of?: string, cursor?: string) => {
      const { items, nextCursor } = await listRecoveries(its.deps, [tenant()], of, { limit: 2, cursor })
      return [items.map(({ id }) => id), nextCursor ?? undefined] as const
    }
    const [newest, next] = await list()
    expect(newest).to.deep.equal(ids.slice(0, 2))
    expect((await list(undefined, next))[0]).to.deep.equal([ids[2]])
    expect((await list(webhooks[0]))[0]).to.deep.equal([ids[2]])
  })

  it('has its workflow cancelled once it is over, and not while it waits for another turn', async () => {
    const { id } = await start(await newWebhook())
    const callsOf = async (state: Recovery['state']) => {
      await its.set('recoveries', { id }, { state, running_webhook_id: null })
      let calls = 0
      const callTemporal = () => Promise.resolve(void (calls += 1))
      await setRecovery({ deps: its.deps, callTemporal } as unknown as RelayContext, id)
      return calls
    }
    expect([await callsOf('queued'), await callsOf('cancelled')]).to.deep.equal([0, 1])
  })

  it('is started again when no worker looks after it, and is purged once it is old', async () => {
    const webhookId = await newWebhook()
    const { id } = await start(webhookId)
    await its.db('outbox').delete()
    expect(await restartForgottenRecoveries(its.db, 3_600_000, 10)).to.equal(0)
    await its.set('recoveries', { id }, { touched_at: use.minute(0) })
    expect(await restartForgottenRecoveries(its.db, 3_600_000, 10)).to.equal(1)
    expect(await its.queued()).to.deep.equal(['recover'])
    const later = new Date(Date.now() + 3_600_000)
    expect(await purgeOlder(its.db, 'recoveries', later, 10)).to.be.at.least(0)
    expect(await shown(id)).to.include({ state: 'running' })
    await cancel(webhookId, id)
    await purgeOlder(its.db, 'recoveries', later, 500)
    expect(await its.db('recoveries').where({ id })).to.deep.equal([])
  })
})
