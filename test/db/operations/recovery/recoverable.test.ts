import { expect } from 'chai'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { COUNTED_AT_MOST } from '../../../../src/domain/recovery/recovery.ts'
import { listStartedRecoveries } from '../../../../src/operations/recovery/read.ts'
import { countRecoverable, readMissed } from '../../../../src/operations/recovery/recoverable.ts'
import { startRecovery } from '../../../../src/operations/recovery/start.ts'
import { createUser } from '../../../../src/operations/user/create.ts'
import { changeWebhook } from '../../../../src/operations/webhook/change.ts'
import { insertOpenDeliveries } from '../../../support/many-rows.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { useRecoveries } from '../../../support/use-recoveries.ts'

describe('what a recovery would bring', () => {
  const use = useRecoveries()
  const { its } = use
  const { create, insertFailed, minute, tenant } = use
  const newWebhook = async () => (await create()).webhook.id
  const count = (webhookId: string, until?: Date) =>
    countRecoverable(
      its.deps,
      tenant(),
      webhookId,
      { kind: 'failed', since: minute(0), until },
      its.deps.clock(),
    )
  const setActive = (webhookId: string, isActive: boolean) =>
    changeWebhook(its.deps, tenant(), COMMAND_LINE, webhookId, { isActive })
  const { publish } = its

  it('is counted as its recovery counts it, and begins nothing', async () => {
    const webhookId = await newWebhook()
    await insertFailed(webhookId, 5)
    const counted = await count(webhookId, minute(3))
    expect(counted).to.deep.equal({ kind: 'failed', since: minute(0), until: minute(3), total: 3 })
    expect(await use.db()('recoveries').where({ webhook_id: webhookId })).to.deep.equal([])
    expect((await use.start(webhookId, { until: minute(3) })).total).to.equal(3)
    expect(await refusalOf(count(webhookId, minute(0)))).to.match(/^VALIDATION_ERROR: "since"/)
  })

  it('is not counted beyond 10,000', async () => {
    const webhookId = await newWebhook()
    const columns = { status: 'failed' as const, wake_at: null, created_at: minute(1), in_temporal: 0 }
    await insertOpenDeliveries(use.db(), COUNTED_AT_MOST, { tenant: tenant(), webhookId, columns })
    expect((await count(webhookId)).total).to.equal(COUNTED_AT_MOST)
    await insertOpenDeliveries(use.db(), 1, { tenant: tenant(), webhookId, columns })
    expect((await count(webhookId)).total).to.equal(null)
  })

  // decision: What an activation offers
  it('is what the latest pause missed, and not what an earlier one did', async () => {
    const webhookId = await newWebhook()
    expect(await readMissed(its.deps, tenant(), webhookId)).to.equal(undefined)
    await setActive(webhookId, false)
    await publish(2)
    await setActive(webhookId, true)
    expect((await readMissed(its.deps, tenant(), webhookId))?.recoverable.total).to.equal(2)
    const hourAgo = its.deps.db.raw('starts_at - INTERVAL 1 HOUR')
    const ended = its.deps.db.raw('ends_at - INTERVAL 1 HOUR')
    const pauses = use.db()('webhook_pauses').where({ webhook_id: webhookId })
    await pauses.clone().update({ starts_at: hourAgo, ends_at: ended })
    await use.set(
      'events',
      { company_id: tenant().companyId },
      {
        created_at: its.deps.db.raw('created_at - INTERVAL 1 HOUR'),
      },
    )
    await setActive(webhookId, false)
    await publish(3)
    const open = await readMissed(its.deps, tenant(), webhookId)
    expect([open?.pause.endsAt, open?.recoverable.total]).to.deep.equal([null, 3])
    await setActive(webhookId, true)
    const missed = await readMissed(its.deps, tenant(), webhookId)
    expect(missed?.pause.endsAt).to.be.instanceOf(Date)
    expect(missed?.recoverable).to.include({ kind: 'missed', total: 3 })
    expect(missed?.recoverable.since).to.be.below(missed!.pause.startsAt)
  })

  it('is brought by somebody, whom the list of recoveries names', async () => {
    const webhookId = await newWebhook()
    const user = {
      email: `${webhookId}@example.com`,
      name: 'Ada',
      role: 'member' as const,
      allowedScopes: [],
    }
    const { companyId } = tenant()
    const { id } = await createUser(its.deps, companyId, COMMAND_LINE, {
      ...user,
      password: 'correct horse battery',
    })
    const input = { kind: 'failed' as const, since: minute(0) }
    const first = await startRecovery(its.deps, tenant(), { id }, webhookId, input)
    await use.db()('recoveries').where({ id: first.id }).update({ running_webhook_id: null, state: 'done' })
    const second = await startRecovery(its.deps, tenant(), COMMAND_LINE, webhookId, input)
    const { items } = await listStartedRecoveries(its.deps, tenant(), webhookId, { limit: 10 })
    expect(items.map(({ recovery, startedBy }) => [recovery.id, startedBy])).to.deep.equal([
      [second.id, { id: COMMAND_LINE.id, name: null }],
      [first.id, { id, name: 'Ada' }],
    ])
    await use.db()('audit').where({ subject_id: webhookId }).delete()
    const forgotten = await listStartedRecoveries(its.deps, tenant(), webhookId, { limit: 10 })
    expect(forgotten.items.map(({ startedBy }) => startedBy)).to.deep.equal([null, null])
  })
})
