import type { WebhookName } from '../api/wire.ts'
import { useOne } from './queries.ts'

/** The names of all webhooks of the environment, by name. All parts of a page share one answer; empty until it has come. */
export const useWebhookNames = (): readonly WebhookName[] =>
  useOne<readonly WebhookName[]>('/webhook-names').data?.item ?? []
