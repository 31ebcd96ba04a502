import { expect } from 'chai'
import { sumCounters, totalOf } from '../../src/db/webhook/counters.ts'
import type { Db } from '../../src/db/connection/connection.ts'
import { DELIVERY_STATUSES } from '../../src/domain/delivery/delivery.ts'
import type { StackInUse } from './use-stack.ts'

type Row = { id: string; webhookId: string; status: string; attempts: number; max_attempts: number }

/**
 * Checks what holds at every moment, whatever was killed or still runs. A delivery has as many attempt rows as it
 * counts, numbered from 1 without a gap and never above max_attempts. Each event has one delivery per webhook. Counters
 * equal the rows. One snapshot serves all reads, because a command may run between two reads.
 */
export function expectSoundRows(db: Db, companyId?: string): Promise<void> {
  return db.transaction((trx) => checkRows(trx, companyId), { isolationLevel: 'repeatable read' })
}

/** The same check for a test's company only, because other files share the stack and insert inconsistent rows. */
export const expectSoundRowsOf = ({ stack, tenant }: StackInUse): Promise<void> =>
  expectSoundRows(stack.db, tenant.tenant.companyId)

async function checkRows(db: Db, companyId?: string): Promise<void> {
  const own = companyId === undefined ? {} : { company_id: companyId }
  const columns = ['id', 'webhook_id as webhookId', 'status', 'attempts', 'max_attempts'] as const
  const deliveries = await db('deliveries')
    .where(own)
    .select<Row[]>(...columns)
  const attempts = await db('attempts')
    .whereIn('delivery_id', db('deliveries').where(own).select('id'))
    .orderBy('number')
    .select<{ delivery_id: string; number: number }[]>('delivery_id', 'number')
  const numbersOf = Map.groupBy(attempts, ({ delivery_id: id }) => id)
  // One assertion for all, because thousands would block the endpoints that run in the same process.
  const unsound = deliveries
    .map((row) => ({ ...row, numbers: (numbersOf.get(row.id) ?? []).map(({ number }) => number) }))
    .filter(({ numbers, attempts: counted, max_attempts: most }) => {
      const isWithoutGap = numbers.every((number, index) => number === index + 1)
      return !isWithoutGap || numbers.length !== counted || counted > most
    })
  expect(unsound, 'deliveries whose attempts are not as they are counted').to.deep.equal([])
  const webhookIds = new Set(deliveries.map(({ webhookId }) => webhookId))
  const miscounted = await findMiscounted(db, webhookIds, deliveries)
  expect(miscounted, 'counters that differ from the rows').to.deep.equal([])
}

/** The counters of these webhooks that differ from the rows. */
export async function findMiscounted(
  db: Db,
  webhookIds: Iterable<string>,
  deliveries: readonly Pick<Row, 'webhookId' | 'status'>[],
) {
  // One query covers all webhooks, because files share a database and a query for each webhook would take long.
  const counters = await sumCounters(db, { sql: 'webhook_counters c', values: [] })
  const rowsOf = Map.groupBy(deliveries, ({ webhookId }) => webhookId)
  return [...webhookIds].flatMap((webhookId) =>
    DELIVERY_STATUSES.map((status) => ({
      webhookId,
      status,
      counted: totalOf(counters.get(webhookId), status),
      rows: (rowsOf.get(webhookId) ?? []).filter((row) => row.status === status).length,
    })).filter(({ counted, rows }) => counted !== rows),
  )
}
