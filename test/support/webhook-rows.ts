import { insertWebhook } from '../../src/db/webhook/webhooks.ts'
import type { Db } from '../../src/db/connection/connection.ts'
import { newId } from '../../src/domain/ids.ts'
import type { Tenant } from '../../src/domain/tenant.ts'
import { DEFAULT_SETTINGS } from '../../src/domain/webhook/webhook.ts'

/** Inserts active webhooks that subscribe to the types, without the api; gives their ids. */
export async function insertWebhooks(
  db: Db,
  tenant: Tenant,
  count: number,
  events: readonly string[],
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('webhook'))
  const { headers, ...settings } = DEFAULT_SETTINGS
  await db.transaction(async (trx) => {
    for (const id of ids) {
      await insertWebhook(trx, tenant, {
        ...settings,
        id,
        name: 'test',
        url: 'https://example.com/hook',
        events,
        headersSealed: 'sealed headers',
        secretSealed: 'sealed secret',
        createdAt: new Date(),
      })
    }
  })
  return ids
}
