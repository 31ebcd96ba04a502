import type { Notice } from '../../domain/notice/notice.ts'
import { databaseNow } from '../clock.ts'
import { inTransaction, type SystemDb } from '../connection/connection.ts'
import { queueForChannels } from './channels.ts'
import { toNotice, type NoticeRow } from './notices.ts'
import { rawSql, readRows, sql, type Statement } from '../connection/statements.ts'

type State = 'new' | 'waiting'

/** One query finds at most this many companies. */
const MOST_COMPANIES = 100

/** The company that was served last. The turns continue after it. Each process begins with the first company. */
type NoticeTurns = { after: string }

/** Locks the oldest notices that meet the condition. It skips those that another transaction locks. */
const lock = (trx: SystemDb, index: string, condition: Statement, limit: number): Promise<NoticeRow[]> =>
  readRows<NoticeRow>(trx)`
    SELECT * FROM notices FORCE INDEX (${rawSql(index)}) WHERE ${condition}
     ORDER BY created_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED`

/**
 * Locks notices: first those for the operator, then those of companies in turns. It takes the same number from each
 * company: the oldest notices. What remains of the limit goes to the oldest notices of all companies. So a company with
 * 100,000 notices does not delay the notices of others.
 */
async function lockInTurns(
  trx: SystemDb,
  state: State,
  turns: NoticeTurns,
  limit: number,
): Promise<Notice[]> {
  const isOperators = sql`company_id IS NULL AND environment IS NULL AND state = ${state}`
  const rows = await lock(trx, 'notices_list', isOperators, limit)
  const companies = await listCompanies(trx, state, turns.after, limit - rows.length)
  const part = Math.ceil((limit - rows.length) / companies.length)
  for (const companyId of companies) {
    const isOwn = sql`state = ${state} AND company_id = ${companyId}`
    rows.push(...(await lock(trx, 'notices_turns', isOwn, Math.min(part, limit - rows.length))))
    if (rows.length === limit) break
  }
  turns.after = rows.at(-1)?.company_id ?? ''
  if (rows.length < limit && companies.length > 0) {
    const taken = new Set(rows.map(({ id }) => id))
    const oldest = await lock(trx, 'notices_state', sql`state = ${state}`, limit)
    rows.push(...oldest.filter(({ id }) => !taken.has(id)).slice(0, limit - rows.length))
  }
  return rows.map(toNotice)
}

/**
 * Companies with notices of the state: first the companies after `after`, then the others from the first one on. It
 * skips along the index from company to company.
 */
async function listCompanies(trx: SystemDb, state: State, after: string, limit: number): Promise<string[]> {
  if (limit <= 0) return []
  const list = async (isInPart: Statement) => {
    const rows = await readRows<{ company_id: string }>(trx)`
      SELECT company_id FROM notices FORCE INDEX (notices_turns) WHERE state = ${state} AND ${isInPart}
       GROUP BY company_id ORDER BY company_id LIMIT ${Math.min(limit, MOST_COMPANIES)}`
    return rows.map(({ company_id }) => company_id)
  }
  const rest = await list(sql`company_id > ${after}`)
  return after === '' ? rest : [...rest, ...(await list(sql`company_id <= ${after}`))].slice(0, limit)
}

async function setState(trx: SystemDb, notices: readonly Notice[], state: 'waiting' | 'done'): Promise<void> {
  const ids = notices.map(({ id }) => id)
  await trx('notices').whereIn('id', ids).update({ state })
}

/**
 * Takes new notices from the companies in turns, and queues them for the channels of these companies. Only one caller
 * gets each notice. If another transaction locks a channel of a company, the company's notices stay new.
 *
 * @param next the next state of the notices: they wait for a batch, or they are done
 * @returns the notices. If there are fewer than the limit, no others can be taken now
 */
export async function takeNew(
  db: SystemDb,
  next: 'waiting' | 'done',
  limit: number,
  turns: NoticeTurns,
): Promise<Notice[]> {
  return inTransaction(db, async (trx) => {
    const found = await lockInTurns(trx, 'new', turns, limit)
    const notices = found.length > 0 ? await queueForChannels(trx, found) : []
    if (notices.length > 0) await setState(trx, notices, next)
    return notices
  })
}

/** A body for NOTICE_URL. Its id and its bytes stay the same, however often it is sent. */
export type NoticeBatch = { readonly id: string; readonly body: Buffer }

/** The oldest batch that was not answered yet. */
export const findOpenBatch = (db: SystemDb): Promise<NoticeBatch | undefined> =>
  db('notice_batches').orderBy('created_at').first<NoticeBatch | undefined>('id', 'body')

/**
 * Makes a batch of waiting notices: first those for the operator, then those of companies in turns.
 *
 * @param make returns the id and the bytes of the batch; it may be called again if the transaction starts over
 * @returns undefined if no notice waits
 */
export async function createBatch(
  db: SystemDb,
  limit: number,
  turns: NoticeTurns,
  make: (notices: readonly Notice[], now: Date) => NoticeBatch,
): Promise<NoticeBatch | undefined> {
  return inTransaction(db, async (trx) => {
    const notices = await lockInTurns(trx, 'waiting', turns, limit)
    if (notices.length === 0) return undefined
    const now = await databaseNow(trx)
    const batch = make(notices, now)
    await trx('notice_batches').insert({ ...batch, created_at: now })
    await setState(trx, notices, 'done')
    return batch
  })
}

/** Deletes a batch that was answered. */
export async function deleteBatch(db: SystemDb, id: string): Promise<void> {
  await db('notice_batches').where({ id }).delete()
}
