// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { inviteUser } from '../../../src/operations/user/invite.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { createPurge } from '../../../src/activities/purge.ts'
import { databaseNow } from '../../../src/db/clock.ts'
import { insertSession } from '../../../src/db/user/sessions.ts'
import { addToHours } from '../../../src/db/webhook/hourly-stats.ts'
import { holdRequest } from '../../../src/db/idempotency.ts'
import { eraseRows } from '../../../src/db/purge/company.ts'
import { purgeDeliveries, purgeNotices } from '../../../src/db/purge/history.ts'
import { closeDeliveries } from '../../../src/db/delivery/open-deliveries.ts'
import { newId } from '../../../src/domain/ids.ts'
import { DAY_MS, floorTo, HOUR_MS } from '../../../src/domain/instants.ts'
import { NO_FIGURES, withAttempt } from '../../../src/domain/webhook/stats.ts'
import { answered } from '../../support/made-attempts.ts'
import { makeNotice } from '../../support/notices.ts'
import { useOperations } from '../../support/use-operations.ts'

const MONTH_MS = 31 * 86_400_000

// decision: Retention
describe('the purge', () => {
  const its = useOperations()
  const { tenant } = its
  const purge = async (deps = its.deps) => expect(await createPurge(deps)()).to.deep.equal({ isDone: true })

  /** Publishes one event for one webhook and one for none, and closes the delivery. Returns the ids of the events. */
  async function makeHistory(): Promise<string[]> {
    const { webhookId, eventId, id } = await its.delivery()
    const [other] = await its.publish(1, 'task.created')
    expect(await closeDeliveries(its.db, [id], 'attempts_used')).to.include({ closed: 1 })
    await its.remove(webhookId)
    return [eventId, other!.id]
  }

  // decision: Hours become days
  it('makes days of hours of statistics after 8 days, and removes days after 35', async () => {
    const webhookId = await its.newWebhook()
    const figures = withAttempt(NO_FIGURES, answered(200))
    const ages = [1, 7, 9, 20, 34, 40].map((days) => floorTo(new Date(Date.now() - days * DAY_MS), HOUR_MS))
    for (const startsAt of ages) await addToHours(its.db, 0, [{ webhookId, startsAt, figures }])
    await purge()
    const where = { webhook_id: webhookId }
    const times = (table: string) =>
      its.db(table).where(where).orderBy('starts_at').pluck<Date[]>('starts_at')
    expect(await times('webhook_stats_hours')).to.deep.equal([ages[1], ages[0]])
    const days = [ages[4], ages[3], ages[2]].map((age) => floorTo(age!, DAY_MS))
    expect(await times('webhook_stats_days')).to.deep.equal(days)
  })

  const ago = (interval: string) => its.db.raw(`NOW(3) - INTERVAL ${interval}`)
  /** The remaining rows of the company. */
  const left = (table: string, column = 'id') => its.own(table).pluck<string[]>(column)

  // decision: Rate limits
  // decision: Sessions of the console
  it('removes sessions of the console that have ended, links after RETENTION_DAYS, what limits counted an hour after it ended, and no others', async () => {
    const limits = [2, 0].map((hours) => ({ key: `auth:${hours}`, expire: Date.now() - hours * HOUR_MS }))
    await its.db('rate_limits').insert(limits.map((limit) => ({ ...limit, points: 1 })))
    const { companyId } = tenant()
    const userId = await its.keyring.user()
    const now = await databaseNow(its.db)
    const [unused, ended, living] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte))
    for (const idHash of [unused!, ended!, living!])
      await insertSession(its.db, { idHash, companyId, userId, now })
    await its.set('console_sessions', { id_hash: unused }, { seen_at: ago('12 HOUR') })
    await its.set('console_sessions', { id_hash: ended }, { expires_at: ago('1 SECOND') })
    const links: string[] = []
    for (const hours of [71, 73]) {
      const input = { email: `${hours}@example.com`, role: 'member' } as const
      const { link } = await inviteUser(its.deps, companyId, COMMAND_LINE, input)
      await its.set('access_links', { id: link.id }, { created_at: ago(`${hours} HOUR`) })
      links.push(link.id)
    }
    await purge({ ...its.deps, config: { ...its.deps.config, retentionDays: 1 } })
    expect(await its.db('access_links').pluck('id'), 'one that works').to.deep.equal(links.slice(0, 1))
    const sessions = its.db('console_sessions').where({ user_id: userId })
    expect(await sessions.pluck('id_hash')).to.deep.equal([living])
    expect(await its.db('rate_limits').pluck('key')).to.deep.equal(['auth:0'])
  })

  // decision: Retention of notices
  it('removes notices and batches of notices after RETENTION_DAYS, but none whose cause is still to come', async () => {
    const createdAt = new Date(Date.now() - MONTH_MS)
    const [young, old, coming] = [
      await makeNotice(its.db, tenant(), 'webhook_gone'),
      await makeNotice(its.db, tenant(), 'webhook_gone', { createdAt }),
      await makeNotice(its.db, tenant(), 'key_expires_in_7_days', { targetId: newId('apiKey') }),
    ]
    const ofUser = { company_id: tenant().companyId, user_id: newId('user') }
    await its.set('notices', { id: coming }, { created_at: ago('31 DAY') })
    for (const [id, age] of Object.entries({ ntb_young: '29 DAY', ntb_old: '31 DAY' }))
      await its.db('notice_batches').insert({ id, body: '{}', created_at: ago(age) })
    const marks = [young, old].map((id) => ({ ...ofUser, notice_id: id, is_done: true }))
    await its.db('notice_marks').insert(marks)
    await purge()
    expect(await its.db('notice_marks').where(ofUser).pluck('notice_id')).to.deep.equal([young])
    expect(await left('notices')).to.have.members([young, coming])
    expect(await its.db('notice_batches').pluck('id')).to.deep.equal(['ntb_young'])
  })

  it('removes a delivery that was retried very often in parts, and a company that has one', async () => {
    const ways = [
      () => purgeDeliveries(its.db, new Date(Date.now() - MONTH_MS), 1),
      () => eraseRows(its.db, tenant().companyId, 'deliveries', 1),
    ]
    for (const remove of ways) {
      const { id, webhookId } = await its.delivery()
      await its.set('deliveries', { id }, { closed_at: ago('32 DAY') })
      const attempt = { delivery_id: id, started_at: new Date(), duration_ms: 5, trigger: 'manual' }
      await its.db('attempts').insert(Array.from({ length: 11 }, (_, number) => ({ ...attempt, number })))
      expect([await remove(), await remove(), await remove()]).to.deep.equal([undefined, 1, 0])
      expect(await its.db('attempts').where({ delivery_id: id })).to.deep.equal([])
      await its.remove(webhookId)
    }
  })

  it('removes old events that nobody subscribed to, batch by batch, and answers kept for Idempotency-Key', async () => {
    const own = { company_id: tenant().companyId }
    for (let n = 0; n < 6; n++) await its.publish(100, 'task.created')
    await its.set('events', own, { created_at: ago('31 DAY') })
    const request = { companyId: own.company_id, fingerprint: Buffer.alloc(32) }
    for (const byte of [1, 2])
      await holdRequest(its.db, { ...request, requestHash: Buffer.alloc(32, byte) }, 1)
    await its.set('idempotency', { ...own, scope: Buffer.alloc(32, 1) }, { created_at: ago('25 HOUR') })
    await purge()
    expect(await its.db('events').where(own)).to.deep.equal([])
    expect(await its.db('idempotency').where(own)).to.have.length(1)
  })

  it('removes the marks of a notice in batches, and the notice once none is left', async () => {
    const createdAt = new Date(Date.now() - MONTH_MS)
    const id = await makeNotice(its.db, tenant(), 'webhook_gone', { createdAt })
    const ofNotice = { company_id: tenant().companyId, notice_id: id }
    const marks = [1, 2, 3].map(() => ({ ...ofNotice, user_id: newId('user'), is_done: true }))
    await its.db('notice_marks').insert(marks)
    const rows = () => Promise.all([its.db('notice_marks').where(ofNotice), its.db('notices').where({ id })])
    const remove = () => purgeNotices(its.db, new Date(createdAt.getTime() + 1_000), 2)
    expect(await remove()).to.equal(2)
    expect((await rows()).map(({ length }) => length)).to.deep.equal([1, 1])
    expect(await remove()).to.be.below(2)
    expect(await rows()).to.deep.equal([[], []])
  })

  it('removes deleted webhooks without deliveries, users who left, the audit and daily figures of keys, each at its age', async () => {
    const { companyId } = tenant()
    const [kept, young, gone] = await Promise.all([its.newWebhook(), its.newWebhook(), its.newWebhook()])
    await its.publish()
    const open = (await its.rowsOf(kept)).map(({ id }) => id)
    await closeDeliveries(its.db, open, 'attempts_used')
    for (const id of [kept, young, gone]) await its.remove(id)
    await its.db('deliveries').whereIn('webhook_id', [young, gone]).delete()
    for (const id of [kept, gone]) await its.set('webhooks', { id }, { deleted_at: ago('31 DAY') })
    const user = () => its.keyring.user()
    const [member, former, formerLongAgo] = [await user(), await user(), await user()]
    await its.set('users', { id: former }, { left_at: ago('399 DAY') })
    await its.set('users', { id: formerLongAgo }, { left_at: ago('401 DAY') })
    await its.set('audit', { company_id: companyId, subject_id: young }, { at: ago('401 DAY') })
    const { id: keyId } = await its.keyring.create()
    for (const days of [61, 63])
      await its.db('api_key_usage').insert({ key_id: keyId, day: ago(`${days} DAY`), requests: 1 })
    await its.db('api_key_recent').insert({ key_id: keyId, day: ago('63 DAY'), recent: '{}' })
    await purge()
    expect(await left('webhooks')).to.have.members([kept, young])
    const counted = its.db('webhook_counters').whereIn('webhook_id', [kept, gone]).distinct('webhook_id')
    expect(await counted).to.deep.equal([{ webhook_id: kept }])
    expect(await left('users')).to.have.members([member, former])
    const audited = await left('audit', 'subject_id')
    expect(audited).to.include.members([kept, gone]).and.not.include(young)
    expect(await its.db('api_key_usage').where({ key_id: keyId })).to.have.length(1)
    expect(await its.db('api_key_recent').where({ key_id: keyId })).to.deep.equal([])
  })

  for (const [where, byMs] of Object.entries({ 'a month ahead': MONTH_MS, 'a month behind': -MONTH_MS }))
    it(`goes by the database's clock when the worker's is ${where}`, async () => {
      const [young, old] = [await makeHistory(), await makeHistory()]
      for (const id of old) {
        await its.set('deliveries', { event_id: id }, { closed_at: ago('31 DAY') })
        await its.set('events', { id }, { created_at: ago('31 DAY') })
      }
      await purge({ ...its.deps, clock: () => new Date(Date.now() + byMs) })
      expect(await left('events')).to.have.members(young)
      expect(await left('deliveries', 'event_id')).to.deep.equal([young[0]])
    })
})
