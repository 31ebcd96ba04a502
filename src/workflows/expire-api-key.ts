import { proxyActivities, sleep } from '@temporalio/workflow'
import type { Activities, ExpireApiKeyInput } from './contract.ts'

const { expireApiKey: recordExpiry } = proxyActivities<Pick<Activities, 'expireApiKey'>>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', maximumInterval: '1m' },
})

/**
 * Timer of a rotation: sleeps until the old key's grace period is over, then records the expiry. Authentication checks
 * the expiry by itself, by the database's clock. This workflow only makes the expiry visible and audited, and may be
 * late.
 */
export async function expireApiKey({ keyId, expiresAt }: ExpireApiKeyInput): Promise<void> {
  let restMs = Date.parse(expiresAt) - Date.now()
  do {
    if (restMs > 0) await sleep(restMs, { summary: `wait until ${keyId} expires at ${expiresAt}` })
    const summary = 'record that the old key expired'
    restMs = await recordExpiry.executeWithOptions({ summary }, [{ keyId }])
  } while (restMs > 0)
}
