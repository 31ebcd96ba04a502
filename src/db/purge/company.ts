import { inTransaction, type SystemDb } from '../connection/connection.ts'
import { countRows } from '../connection/statements.ts'
import { SHARED_QUEUES } from '../outbox/queues.ts'
import { deleteWaiting } from '../outbox/outbox.ts'
import { OF_WEBHOOK } from './gone.ts'
import { MOST_DEPENDENTS_EACH } from './history.ts'

// Erases all data of a company. Its webhooks must be deleted first, and their deliveries must have ended.

type Dependent = readonly [table: string, column: string]

/**
 * The tables with rows of a company, in the order in which they are erased, and the dependent rows of each. Each table has
 * an index that begins with the company.
 */
const TABLES: Readonly<Record<string, readonly Dependent[]>> = {
  console_sessions: [],
  saved_filters: [],
  access_links: [],
  api_keys: [
    ['api_key_usage', 'key_id'],
    ['api_key_recent', 'key_id'],
  ],
  users: [['user_recovery_codes', 'user_id']],
  deliveries: [['attempts', 'delivery_id']],
  recoveries: [['recovery_deliveries', 'recovery_id']],
  feed: [],
  feed_heads: [],
  events: [],
  notices: [],
  notice_marks: [],
  notice_places: [],
  mails: [],
  notice_channels: [],
  resources: [],
  resource_counters: [],
  webhook_event_types: [],
  webhooks: OF_WEBHOOK.map((table) => [table, 'webhook_id']),
  publish_quotas: [],
  company_requests: [],
}

/** Users and keys. They are erased first, so that nobody signs in or calls while the other tables are erased. */
export const PEOPLE = ['console_sessions', 'access_links', 'saved_filters', 'api_keys', 'users']

/** Everything else. */
export const THINGS = Object.keys(TABLES).filter((table) => !PEOPLE.includes(table))

/**
 * Erases a page of the company's rows of one of these tables.
 *
 * @returns how many rows of the table it erased; 0: none is left. undefined: it erased as many dependent rows as one
 *   call may, and no row of the table yet
 */
export async function eraseRows(
  db: SystemDb,
  companyId: string,
  table: string,
  limit: number,
): Promise<number | undefined> {
  const own = (handle: SystemDb) => handle(table).where({ company_id: companyId })
  const dependents = TABLES[table] ?? []
  return inTransaction(db, async (trx) => {
    if (dependents.length === 0) return own(trx).limit(limit).delete()
    const ids = await own(trx).limit(limit).pluck<string[]>('id')
    const most = limit * MOST_DEPENDENTS_EACH
    for (const [other, column] of dependents) {
      const deleted = await trx(other).whereIn(column, ids).limit(most).delete()
      if (deleted === most) return undefined
    }
    if (table === 'deliveries') await deleteWaiting(trx, ids)
    return trx(table).whereIn('id', ids).delete()
  })
}

/**
 * Erases a page of the company's commands in the outbox, also commands about its deliveries.
 *
 * @returns how many rows it erased
 */
export const eraseCommands = (db: SystemDb, companyId: string, limit: number): Promise<number> =>
  db('outbox')
    .whereIn('lane', [...SHARED_QUEUES])
    .where({ company_id: companyId })
    .limit(limit)
    .delete()

/**
 * Goes through the next kept answers in the order of their hash, and erases the company's answers. The table has no
 * index by company, and its rows are purged within a day anyway.
 *
 * @returns where the next page begins; undefined: this was the last page
 */
export async function eraseAnswers(
  db: SystemDb,
  companyId: string,
  after: Buffer,
  limit: number,
): Promise<Buffer | undefined> {
  const rows = await db('idempotency')
    .where('scope', '>', after)
    .orderBy('scope')
    .limit(limit)
    .select<{ scope: Buffer; company_id: string }[]>('scope', 'company_id')
  const own = rows.filter((row) => row.company_id === companyId).map(({ scope }) => scope)
  if (own.length > 0) await db('idempotency').whereIn('scope', own).delete()
  return rows.length < limit ? undefined : rows.at(-1)?.scope
}

/** How many deleted webhooks of the company have deliveries that a worker has not ended yet. */
export const countEndingWebhooks = (db: SystemDb, companyId: string): Promise<number> =>
  countRows(
    db('webhooks as w')
      .join('outbox as o', (on) => on.on('o.subject_id', 'w.id').onVal('o.kind', 'cancel-webhook'))
      .where('w.company_id', companyId),
  )

/** Removes the company itself. */
export async function removeCompany(trx: SystemDb, companyId: string): Promise<void> {
  await trx('companies').where({ id: companyId }).delete()
}
