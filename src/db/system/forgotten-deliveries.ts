import { inTransaction, type Db } from '../connection/connection.ts'
import { DELIVERY_KINDS } from '../outbox.ts'
import type { DeliveryRow } from '../delivery/rows.ts'
import { queueToGoOn, WAITING_COLUMNS } from './going-on.ts'
import { ENVIRONMENTS, type Environment } from '../../domain/tenant.ts'

/** The last delivery of a page; the next page begins after it. */
export type PageCursor = { readonly at: Date; readonly id: string }

export type ForgottenPage = {
  /** Deliveries that were queued again. */
  readonly queued: number
  /** Where the next page begins; undefined when there is none. */
  readonly next: PageCursor | undefined
}

/**
 * For deliveries that are long overdue, and for those parked long ago: the column with that time, and what the two other
 * columns of the index deliveries_due are. Their conditions let the servers read the index in the order of the column.
 */
const PARTS = {
  overdue: { column: 'wake_at', among: 'closed_at IS NULL AND parked_at IS NULL' },
  parked: { column: 'parked_at', among: 'closed_at IS NULL AND wake_at IS NULL' },
} as const

export type ForgottenPart = keyof typeof PARTS

/**
 * Reads a page of open deliveries that are long overdue, or were parked long ago although their webhook is active and its
 * company not suspended. It queues those that no outbox row will wake. This repairs the loss of Temporal's store, or of a workflow
 * that somebody ended by hand. It reads at most `limit` deliveries along one index, however many wait.
 *
 * @param afterMs how long overdue or parked
 * @param from where the page before this one ended; undefined: at the beginning
 */
export async function wakeForgottenDeliveries(
  db: Db,
  part: ForgottenPart,
  { afterMs, from, limit }: Page,
): Promise<ForgottenPage> {
  const bindings = [Math.round(afterMs * 1000), ...(from ? [from.at, from.at, from.id] : []), limit]
  return wakePage(db, pageSql(part, from), bindings, limit)
}

type Page = {
  readonly afterMs: number
  readonly from: PageCursor | undefined
  readonly limit: number
}

async function wakePage(
  db: Db,
  sql: string,
  bindings: readonly unknown[],
  limit: number,
): Promise<ForgottenPage> {
  const [rows] = (await db.raw(sql, bindings as string[])) as [(PageCursor & { is_forgotten: number })[]]
  const forgotten = rows.filter((row) => row.is_forgotten).map(({ id }) => id)
  const last = rows.length < limit ? undefined : rows.at(-1)
  return { queued: await queueAgain(db, forgotten), next: last && { at: last.at, id: last.id } }
}

/**
 * The SQL of a page. It joins the outbox once per kind, by the whole unique key. With a list of kinds MariaDB would join
 * the two tables row by row. It names the indexes, because a server might otherwise join a small table by buffer.
 */
export function pageSql(part: ForgottenPart, from: PageCursor | undefined): string {
  const { column, among } = PARTS[part]
  const page = `
    SELECT id, ${column} AS at FROM deliveries FORCE INDEX (deliveries_due)
     WHERE ${among} AND ${column} < NOW(3) - INTERVAL ? MICROSECOND ${behind(column, from)}
     ORDER BY ${column}, id LIMIT ?`
  return part === 'parked' ? forgottenIn(page, (canGo) => canGo) : forgottenIn(page)
}

const behind = (column: string, from: PageCursor | undefined): string =>
  from ? `AND (${column} > ? OR (${column} = ? AND id > ?))` : ''

/**
 * @param page gives id and `at` of deliveries
 * @param due a further condition; it is given the one that a parked delivery may go
 */
function forgottenIn(page: string, due?: (canGo: string) => string): string {
  const kinds = DELIVERY_KINDS.map((kind) => ({ kind, name: `o_${kind}` }))
  const joins = kinds.map(
    ({ kind, name }) =>
      `LEFT JOIN outbox ${name} FORCE INDEX (outbox_subject) ON ${name}.kind = '${kind}' AND ${name}.subject_id = page.id`,
  )
  const conditions = kinds.map(({ name }) => `${name}.id IS NULL`)
  if (due) {
    joins.push(
      'LEFT JOIN deliveries d FORCE INDEX (PRIMARY) ON d.id = page.id',
      'LEFT JOIN webhooks w FORCE INDEX (PRIMARY) ON w.id = d.webhook_id AND w.is_active = 1',
      'LEFT JOIN companies c FORCE INDEX (PRIMARY) ON c.id = w.company_id AND c.suspended_at IS NOT NULL',
    )
    conditions.push(due('w.id IS NOT NULL AND c.id IS NULL'))
  }
  return `
    SELECT page.id, page.at, ${conditions.join(' AND ')} AS is_forgotten
      FROM (${page}) page
      ${joins.join('\n      ')}
     ORDER BY page.at, page.id`
}

/** Deliveries of one tenant that are open, in one of the two states that open ones have. */
export type OpenGroup = {
  readonly companyId: string
  readonly environment: Environment
  readonly status: 'pending' | 'retrying'
}

/**
 * The groups of a page of companies, those behind the given one by their ids. For each company it seeks four entries of an index,
 * however many deliveries wait. A GROUP BY along the index would leave it to the server whether it skips from one to the next.
 *
 * @param limit of companies
 * @returns `next`: the company to go on behind; undefined when there are no others
 */
export async function listOpenGroups(
  db: Db,
  after: string,
  limit: number,
): Promise<{ groups: OpenGroup[]; next: string | undefined }> {
  const [companies] = (await db.raw(GROUPS, [after, limit])) as [({ id: string } & Record<string, unknown>)[]]
  const groups = companies.flatMap((company) =>
    GROUPS_OF_COMPANY.flatMap(({ name, environment, status }) =>
      company[name] === null ? [] : [{ companyId: company.id, environment, status }],
    ),
  )
  return { groups, next: companies.length < limit ? undefined : companies.at(-1)?.id }
}

const GROUPS_OF_COMPANY = ENVIRONMENTS.flatMap((environment) =>
  (['pending', 'retrying'] as const).map((status) => ({
    name: `${environment}_${status}`,
    environment,
    status,
  })),
)

const GROUPS = `
  SELECT c.id, ${GROUPS_OF_COMPANY.map(
    ({ name, environment, status }) => `
         (SELECT 1 FROM deliveries d FORCE INDEX (deliveries_tenant)
           WHERE d.company_id = c.id AND d.environment = '${environment}' AND d.status = '${status}' LIMIT 1) AS ${name}`,
  ).join(',')}
    FROM (SELECT id FROM companies WHERE id > ? ORDER BY id LIMIT ?) c ORDER BY c.id`

/** As wakeForgottenDeliveries, along the open deliveries of one group, the oldest first, parked or not. */
export async function wakeForgottenOf(
  db: Db,
  { companyId, environment, status }: OpenGroup,
  { afterMs, from, limit }: Page,
): Promise<ForgottenPage> {
  const afterUs = Math.round(afterMs * 1000)
  const place = from ? [from.at, from.at, from.id] : []
  const bindings = [companyId, environment, status, ...place, limit]
  return wakePage(db, groupPageSql(from), [afterUs, afterUs, ...bindings], limit)
}

export function groupPageSql(from: PageCursor | undefined): string {
  const page = `
    SELECT id, created_at AS at, wake_at, parked_at FROM deliveries FORCE INDEX (deliveries_tenant)
     WHERE company_id = ? AND environment = ? AND status = ? ${behind('created_at', from)}
     ORDER BY created_at, id LIMIT ?`
  const isLate = (column: string) => `page.${column} < NOW(3) - INTERVAL ? MICROSECOND`
  return forgottenIn(
    page,
    (canGo) =>
      `COALESCE((page.parked_at IS NULL AND ${isLate('wake_at')}) OR (${isLate('parked_at')} AND ${canGo}), 0)`,
  )
}

async function queueAgain(db: Db, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  return inTransaction(db, async (trx) => {
    const rows = await trx<DeliveryRow>('deliveries')
      .whereIn('id', [...ids])
      .select(...WAITING_COLUMNS)
    await queueToGoOn(trx, rows)
    return rows.length
  })
}
