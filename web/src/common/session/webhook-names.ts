import type { WebhookName } from '../api/webhooks.js'
import { useOne } from './queries.js'

/** The names of all webhooks of the environment, by name. All parts of a page share one answer; empty until it has come. */
export const useWebhookNames = (): readonly WebhookName[] =>
  useOne<readonly WebhookName[]>('/webhook-names').data?.item ?? []
