/** What the worker's bundle exports: the exported name is the workflow type, so it must never change. */
export { deliverWebhook } from './deliver-webhook.ts'
export { expireApiKey } from './expire-api-key.ts'
export { purgeHistory } from './purge-history.ts'
export { recoverWebhook } from './recover-webhook.ts'
export { sendTest } from './send-test.ts'
