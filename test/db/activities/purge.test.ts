// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { createPurge } from '../../../src/activities/purge.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { databaseNow } from '../../../src/db/clock.ts'
import { insertSession } from '../../../src/db/sessions.ts'
import { addToHours } from '../../../src/db/system/attempt-stats.ts'
import { closeDeliveries } from '../../../src/db/system/open-deliveries.ts'
import { newId } from '../../../src/domain/ids.ts'
import { DAY_MS, floorTo, HOUR_MS } from '../../../src/domain/instants.ts'
import type { Tenant } from '../../../src/domain/tenant.ts'
import { NO_FIGURES, withAttempt } from '../../../src/domain/webhook/stats.ts'
import { publishEvents } from '../../../src/operations/event/publish.ts'
import { createWebhook } from '../../../src/operations/webhook/create.ts'
import { answered } from '../../support/made-attempts.ts'
import { makeNotice } from '../../support/notices.ts'
import { useOperations } from '../../support/use-operations.ts'
import { insertWebhooks } from '../../support/webhook-rows.ts'

const MONTH_MS = 31 * 86_400_000

describe('the purge', () => {
  const its = useOperations()

  /** Publishes one event for one webhook and one for none, closes the delivery, and gives the ids of the events. */
  async function makeHistory(tenant: Tenant): Promise<string[]> {
    const { deps, database } = its
    const { id } = (
      await createWebhook(deps, tenant, COMMAND_LINE, {
        name: 'hook',
        url: 'https://hooks.example.com/',
        events: ['contact.created'],
      })
    ).webhook
    const events = await publishEvents(deps, tenant, [
      { type: 'contact.created', data: {} },
      { type: 'task.created', data: {} },
    ])
    const deliveries = await database.db('deliveries').where({ webhook_id: id }).pluck<string[]>('id')
    expect(await closeDeliveries(database.db, deliveries, 'attempts_used')).to.include({ closed: 1 })
    return events.map((event) => event.id)
  }

  // decision: Hours become days
  it('makes days of hours of statistics after 8 days, and removes days after 35', async () => {
    const { deps, keyring } = its
    const { db } = its.database
    const tenant: Tenant = { companyId: keyring.companyId, environment: 'live' }
    const [webhookId = ''] = await insertWebhooks(db, tenant, 1, ['contact.created'])
    const figures = withAttempt(NO_FIGURES, answered(200))
    const ages = [1, 7, 9, 20, 34, 40].map((days) => floorTo(new Date(Date.now() - days * DAY_MS), HOUR_MS))
    for (const startsAt of ages) await addToHours(db, 0, [{ webhookId, startsAt, figures }])
    expect(await createPurge(deps)()).to.deep.equal({ isDone: true })
    const where = { webhook_id: webhookId }
    const times = (table: string) => db(table).where(where).orderBy('starts_at').pluck<Date[]>('starts_at')
    expect(await times('webhook_stats_hours')).to.deep.equal([ages[1], ages[0]])
    const days = [ages[4], ages[3], ages[2]].map((age) => floorTo(age!, DAY_MS))
    expect(await times('webhook_stats_days')).to.deep.equal(days)
  })

  // decision: Sessions of the console
  it('removes sessions of the console that have ended, and no others', async () => {
    const { deps, keyring } = its
    const { db } = its.database
    const { companyId } = keyring
    const userId = await keyring.user()
    const now = await databaseNow(db)
    const sessions = [1, 2, 3].map((byte) => Buffer.alloc(32, byte))
    for (const idHash of sessions) await insertSession(db, { idHash, companyId, userId, now })
    const change = (byte: number, column: string, before: string) =>
      db('console_sessions')
        .where({ id_hash: Buffer.alloc(32, byte) })
        .update({ [column]: db.raw(`NOW(3) - INTERVAL ${before}`) })
    await change(1, 'seen_at', '12 HOUR')
    await change(2, 'expires_at', '1 SECOND')
    expect(await createPurge(deps)()).to.deep.equal({ isDone: true })
    const left = await db('console_sessions').where({ user_id: userId }).pluck<Buffer[]>('id_hash')
    expect(left.map((hash) => hash[0])).to.deep.equal([3])
  })

  // decision: Retention of notices
  it('removes notices and batches of notices after RETENTION_DAYS, but none whose cause is still to come', async () => {
    const { deps, keyring } = its
    const { db } = its.database
    const tenant: Tenant = { companyId: keyring.companyId, environment: 'live' }
    const [young, old, coming] = [
      await makeNotice(db, tenant, 'webhook_gone'),
      await makeNotice(db, tenant, 'webhook_gone', { createdAt: new Date(Date.now() - MONTH_MS) }),
      await makeNotice(db, tenant, 'key_expires_in_7_days', { targetId: newId('apiKey') }),
    ]
    await db('notices')
      .where({ id: coming })
      .update({ created_at: db.raw('NOW(3) - INTERVAL 31 DAY') })
    const batch = (id: string, days: number) =>
      db('notice_batches').insert({ id, body: '{}', created_at: db.raw(`NOW(3) - INTERVAL ${days} DAY`) })
    await batch('ntb_young', 29)
    await batch('ntb_old', 31)
    expect(await createPurge(deps)()).to.deep.equal({ isDone: true })
    const left = await db('notices').where({ company_id: tenant.companyId }).pluck<string[]>('id')
    expect(left).to.have.members([young, coming]).and.not.include(old)
    expect(await db('notice_batches').pluck('id')).to.deep.equal(['ntb_young'])
  })

  for (const [where, byMs] of [
    ['a month ahead', MONTH_MS],
    ['a month behind', -MONTH_MS],
  ] as const) {
    // decision: Retention
    it(`goes by the database's clock when the worker's is ${where}`, async () => {
      const { deps, keyring } = its
      const { db } = its.database
      const tenant: Tenant = { companyId: keyring.companyId, environment: 'live' }
      const [young, old] = [await makeHistory(tenant), await makeHistory(tenant)]
      const monthAgo = db.raw('NOW(3) - INTERVAL 31 DAY')
      await db('deliveries').whereIn('event_id', old).update({ closed_at: monthAgo })
      await db('events').whereIn('id', old).update({ created_at: monthAgo })

      const clock = () => new Date(Date.now() + byMs)
      expect(await createPurge({ ...deps, clock })()).to.deep.equal({ isDone: true })

      const left = await db('events').where({ company_id: keyring.companyId }).pluck<string[]>('id')
      expect(left).to.have.members(young)
      const deliveries = await db('deliveries')
        .where({ company_id: keyring.companyId })
        .pluck<string[]>('event_id')
      expect(deliveries).to.deep.equal([young[0]])
    })
  }
})
