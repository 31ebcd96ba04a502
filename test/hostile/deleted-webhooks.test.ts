// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { formerRows } from '../../src/db/migrations/009-former-rows.ts'
import { runSteps } from '../../src/db/migrations/migration.ts'
import { addToCounters, readCounters } from '../../src/db/webhook/counters.ts'
import { countSubscribers, listSubscribers } from '../../src/db/webhook/subscriptions.ts'
import { forgetDeletedWebhooks } from '../../src/db/purge/gone.ts'
import { countRowsRead } from '../support/rows-read.ts'
import { useOperations } from '../support/use-operations.ts'

const TYPES = ['contact.created', 'deal.created']
const DELETED = 150

describe('webhooks that were created and deleted over time', function () {
  this.timeout(60_000)
  const its = useOperations()
  const { tenant } = its
  let listed: string[] = []

  const insert = (count: number) => its.insertWebhooks(count, tenant(), TYPES)

  async function remove(ids: readonly string[]): Promise<void> {
    const rest = [...ids]
    const work = async () => {
      for (let id = rest.pop(); id !== undefined; id = rest.pop()) await its.remove(id)
    }
    await Promise.all(Array.from({ length: 8 }, work))
  }

  /** Deletes webhooks as a former release did, which only marked the row. */
  async function removeAsBefore(ids: readonly string[]): Promise<void> {
    for (const id of ids) await its.set('webhooks', { id }, { deleted_at: new Date(), is_active: false })
  }

  /** Rows that the server reads to find an event's subscribers, and the figures of undeleted webhooks. */
  const rowsRead = (): Promise<number> =>
    countRowsRead(its.db, async (trx) => {
      await listSubscribers(trx, [{ tenant: tenant(), eventTypes: ['contact.created'] }])
      await countSubscribers(trx, tenant(), ['contact.created'])
      await readCounters(trx, tenant(), listed)
    })

  const secretsOf = (ids: readonly string[]) =>
    its
      .db('webhooks')
      .whereIn('id', [...ids])
      .distinct('secret_sealed', 'headers_sealed')
  const subscriptionsOf = (ids: readonly string[]) =>
    its.db('webhook_event_types').whereIn('webhook_id', [...ids])

  // decision: What a deletion takes along
  it('cost neither a publish nor a list anything: both read no more rows beside many deleted webhooks', async function () {
    listed = await insert(3)
    const pending = listed.map((webhookId) => ({ webhookId, changes: { pending: 1 } }))
    await addToCounters(its.db, pending)
    const before = await rowsRead()
    expect(before).to.be.above(0)
    await remove(await insert(DELETED))
    const beside = await rowsRead()
    this.runnable().title += ` (${before} rows, then ${beside})`
    // The optimizer may begin with the other table, which reads one more row for each live webhook.
    expect(beside).to.be.at.most(2 * before)
  })

  // decision: What a deletion takes along
  it('are cleaned up by the migration when a former release deleted them, and it may run again', async () => {
    const [living = ''] = await insert(1)
    const deleted = await insert(5)
    await removeAsBefore(deleted)
    for (const run of ['first', 'again']) {
      await runSteps(its.db, formerRows, 'up')
      expect(await secretsOf(deleted), run).to.deep.equal([{ secret_sealed: '', headers_sealed: null }])
      expect(await subscriptionsOf(deleted), run).to.have.length(0)
    }
    const sealed = { secret_sealed: 'sealed secret', headers_sealed: 'sealed headers' }
    expect(await secretsOf([living])).to.deep.equal([sealed])
    expect(await subscriptionsOf([living])).to.have.length(TYPES.length)
  })

  // decision: What a deletion takes along
  it('are cleaned up by the purge when a process of a former release deletes them later', async () => {
    const deleted = await insert(3)
    await removeAsBefore(deleted)
    expect(await forgetDeletedWebhooks(its.db, 2)).to.equal(2)
    expect(await forgetDeletedWebhooks(its.db, 2)).to.equal(1)
    expect(await forgetDeletedWebhooks(its.db, 2)).to.equal(0)
    expect(await secretsOf(deleted)).to.deep.equal([{ secret_sealed: '', headers_sealed: null }])
    expect(await subscriptionsOf(deleted)).to.have.length(0)
  })
})
