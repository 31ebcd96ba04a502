import { listLongestFailing } from '../../db/webhook/longest-failing.ts'
import type { SystemDeps } from '../../deps/deps.ts'
import type { FailingWebhook } from '../../domain/webhook/failing.ts'

/** Failing webhooks of all companies, those that have failed for the longest time first. */
export const listFailingWebhooks = (
  { db }: Pick<SystemDeps, 'db'>,
  limit: number,
): Promise<FailingWebhook[]> => listLongestFailing(db, limit)
