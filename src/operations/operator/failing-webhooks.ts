import {
  listFailedWebhooks,
  listLongestFailing,
  type OwnedWebhook,
} from '../../db/webhook/failing-webhooks.ts'
import type { SystemDeps } from '../../deps/deps.ts'
import type { FailingWebhook } from '../../domain/webhook/health.ts'

export type { OwnedWebhook } from '../../db/webhook/failing-webhooks.ts'

/** Webhooks that one statement looks at. */
const PAGE = 500

/** The active webhooks of all companies, or of one, that have deliveries which failed since then, page by page. */
export async function* eachFailedWebhook(
  { db }: Pick<SystemDeps, 'db'>,
  since: Date,
  companyId?: string,
): AsyncGenerator<OwnedWebhook> {
  for (let afterId: string | undefined = ''; afterId !== undefined;) {
    const { found, nextAfterId }: Awaited<ReturnType<typeof listFailedWebhooks>> = await listFailedWebhooks(
      db,
      { since, companyId, afterId, limit: PAGE },
    )
    yield* found
    afterId = nextAfterId
  }
}

/** Failing webhooks of all companies, those that have failed for the longest time first. */
export const listFailingWebhooks = (
  { db }: Pick<SystemDeps, 'db'>,
  limit: number,
): Promise<FailingWebhook[]> => listLongestFailing(db, limit)
