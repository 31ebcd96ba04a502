/** What the worker's bundle exports: the exported name is the workflow type, so it must never change. */
export { deliverWebhook } from './deliver-webhook.js'
export { expireApiKey } from './expire-api-key.js'
export { purgeHistory } from './purge-history.js'
export { recoverWebhook } from './recover-webhook.js'
export { sendTest } from './send-test.js'
