import { insertWebhook } from '../../src/db/webhook/webhooks.js'
import type { Db } from '../../src/db/connection/connection.js'
import { newId } from '../../src/domain/ids.js'
import type { Tenant } from '../../src/domain/tenant.js'
import { DEFAULT_SETTINGS } from '../../src/domain/webhook/webhook.js'

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
