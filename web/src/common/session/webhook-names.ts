import type { WebhookName } from '../api/wire.ts'
import { useOne } from './queries.ts'

/** The names of all webhooks of the environment, sorted by name. All parts of a page share one answer. Empty until it arrives. */
export const useWebhookNames = (): readonly WebhookName[] =>
  useOne<readonly WebhookName[]>('/webhook-names').data?.item ?? []
