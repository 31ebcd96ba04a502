import type { Db } from '../../src/db/connection/connection.ts'
import { addToCounters } from '../../src/db/webhook/counters.ts'
import { enqueueCommands, type NewCommand } from '../../src/db/outbox/outbox.ts'
import type { DeliveryRow } from '../../src/db/delivery/rows.ts'
import { newId } from '../../src/domain/ids.ts'
import type { Tenant } from '../../src/domain/tenant.ts'
import { insertWebhook } from '../../src/db/webhook/webhooks.ts'
import { DEFAULT_SETTINGS } from '../../src/domain/webhook/settings.ts'

type Options = {
  readonly tenant: Tenant
  readonly webhookId: string
  /** Columns that differ from a delivery that failed once and is due again in an hour. */
  readonly columns?: Partial<DeliveryRow>
}

/** Inserts open deliveries without a workflow or an outbox row. Returns their ids. */
export async function insertOpenDeliveries(
  db: Db,
  count: number,
  { tenant, webhookId, columns }: Options,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('delivery'))
  const inAnHour = new Date(Date.now() + 3_600_000)
  for (let from = 0; from < count; from += 1_000) {
    const rows = ids.slice(from, from + 1_000).map((id) => ({
      id,
      company_id: tenant.companyId,
      environment: tenant.environment,
      webhook_id: webhookId,
      event_id: `evt_${id}`,
      event_type: 'contact.created',
      status: 'retrying' as const,
      max_attempts: 5,
      created_at: new Date(),
      next_retry_at: inAnHour,
      wake_at: inAnHour,
      ...columns,
    }))
    await db<DeliveryRow>('deliveries').insert(rows)
  }
  return ids
}

/** Queues `count` commands of a company, thousands per statement. */
export async function enqueueMany(
  db: Db,
  companyId: string,
  count: number,
  commandOf: (index: number) => NewCommand,
): Promise<void> {
  const commands = Array.from({ length: count }, (_, index) => commandOf(index))
  for (let from = 0; from < count; from += 2_000)
    await enqueueCommands(db, { companyId }, commands.slice(from, from + 2_000))
}

/** The columns of each of many inserted deliveries. None has had an attempt. */
const STATES = {
  parked: { status: 'pending', columns: 'parked_at', values: 'NOW(3)' },
  failed: {
    status: 'failed',
    columns: 'closed_at, closed_reason, in_temporal',
    values: "NOW(3), 'attempts_used', 0",
  },
} as const

/**
 * Inserts events and their deliveries in a few statements, and counts them in the webhook's counters.
 *
 * @param count up to 100,000, a multiple of 1,000
 */
export async function insertManyDeliveries(
  db: Db,
  count: number,
  { tenant: { companyId, environment }, webhookId }: Pick<Options, 'tenant' | 'webhookId'>,
  state: keyof typeof STATES,
): Promise<void> {
  const { status, columns, values: stateValues } = STATES[state]
  const digits = (name: string) =>
    `(SELECT 0 AS d ${Array.from({ length: 9 }, (_, n) => `UNION ALL SELECT ${n + 1}`).join(' ')}) ${name}`
  const values = { companyId, environment, webhookId }
  for (let from = 0; from < count; from += 10_000) {
    const rows = `(SELECT ${from} + a.d + 10 * b.d + 100 * c.d + 1000 * e.d AS n FROM ${['a', 'b', 'c', 'e']
      .map(digits)
      .join(', ')}) numbers WHERE n < ${count}`
    // Scatter the ids as random ids are scattered.
    const id = (prefix: string) =>
      `CONCAT('${prefix}_', INSERT(INSERT(INSERT(INSERT(LEFT(SHA2(CONCAT(:webhookId, n), 256), 32), 21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-'))`
    await db.raw(
      `INSERT INTO events (company_id, environment, id, type, body, fingerprint, deliveries, remaining, created_at)
       SELECT :companyId, :environment, ${id('evt')}, 'contact.created', '{}', UNHEX(SHA2(n, 256)), 1, 1, NOW(3) FROM ${rows}`,
      values,
    )
    await db.raw(
      `INSERT INTO deliveries (id, company_id, environment, webhook_id, event_id, event_type, status, max_attempts,
         created_at, ${columns})
       SELECT ${id('del')}, :companyId, :environment, :webhookId, ${id('evt')}, 'contact.created', '${status}', 5,
         NOW(3), ${stateValues} FROM ${rows}`,
      values,
    )
  }
  await addToCounters(db, [{ webhookId, changes: { [status]: count } }])
}

/**
 * Inserts active webhooks that subscribe to the types, without the api, and returns their ids. It copies the rows of
 * the first webhook for the others, many per statement.
 */
export async function insertWebhooks(
  db: Db,
  tenant: Tenant,
  count: number,
  events: readonly string[] = ['contact.created'],
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('webhook'))
  const [first = '', ...others] = ids
  const { headers, ...settings } = DEFAULT_SETTINGS
  await db.transaction(async (trx) => {
    await insertWebhook(trx, tenant, {
      ...settings,
      id: first,
      name: 'test',
      url: 'https://example.com/hook',
      events,
      headersSealed: 'sealed headers',
      secretSealed: 'sealed secret',
      createdAt: new Date(),
    })
    for (const [table, column] of [
      ['webhooks', 'id'],
      ['webhook_event_types', 'webhook_id'],
    ] as const) {
      const rows: object[] = await trx(table).where({ [column]: first })
      const copies = others.flatMap((id) => rows.map((row) => ({ ...row, [column]: id })))
      await trx.batchInsert(table, copies, 500)
    }
  })
  return ids
}
