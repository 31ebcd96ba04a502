import type { Knex } from 'knex'
import type { Migration } from './migration.ts'
import { rows } from './steps.ts'

const PAGE = 500

/**
 * Brings rows of former releases to the present form. It counts the records that are older than the counters. It
 * removes the secrets and subscriptions that a former release left when it deleted webhooks. It may run again from the
 * start. Its statements are written out here, because the code of later releases expects later tables.
 */
export const formerRows: Migration = {
  name: '009-former-rows',
  steps: [
    rows('companies: count the records', {
      up: (db) =>
        eachPage(db, 'companies', async (ids) => {
          for (const id of ids) await countRecords(db, id)
        }),
    }),
    rows('webhooks: remove secrets and subscriptions of deleted ones', {
      up: (db) => eachPage(db, 'webhooks', (ids) => cleanDeletedWebhooks(db, ids)),
    }),
  ],
}

/** Pages of ids, by primary key. So no statement reads or locks more rows than a page has. */
async function eachPage(
  db: Knex,
  table: string,
  handle: (ids: readonly string[]) => Promise<void>,
): Promise<void> {
  for (let after = ''; ;) {
    const page: { id: string }[] = await db(table)
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE)
      .select('id')
    const ids = page.map(({ id }) => id)
    if (ids.length > 0) await handle(ids)
    const last = ids.at(-1)
    if (last === undefined || ids.length < PAGE) return
    after = last
  }
}

async function countRecords(db: Knex, companyId: string): Promise<void> {
  await db.raw(
    `INSERT INTO resource_counters (company_id, environment, family, shard, records)
       SELECT company_id, environment, family, 0, COUNT(*) FROM resources WHERE company_id = ?
       GROUP BY company_id, environment, family
       ON DUPLICATE KEY UPDATE records = VALUES(records)`,
    [companyId],
  )
}

async function cleanDeletedWebhooks(db: Knex, ids: readonly string[]): Promise<void> {
  const found: { id: string }[] = await db('webhooks')
    .whereIn('id', [...ids])
    .whereNotNull('deleted_at')
    .whereNot('secret_sealed', '')
    .select('id')
  const deleted = found.map(({ id }) => id)
  if (deleted.length === 0) return
  // The subscriptions come first. If this stops in between, the next run finds the webhook again, because it still has
  // its secret.
  await db('webhook_event_types').whereIn('webhook_id', deleted).delete()
  await db('webhooks').whereIn('id', deleted).update({ secret_sealed: '', headers_sealed: null })
}
