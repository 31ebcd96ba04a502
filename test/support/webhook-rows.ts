import { insertWebhook } from '../../src/db/webhook/webhooks.ts'
import type { Db } from '../../src/db/connection/connection.ts'
import { newId } from '../../src/domain/ids.ts'
import type { Tenant } from '../../src/domain/tenant.ts'
import { DEFAULT_SETTINGS } from '../../src/domain/webhook/settings.ts'

/**
 * Inserts active webhooks that subscribe to the types, without the api; gives their ids. The rows of the first one are copied
 * for the others, many in a statement.
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
