import type { WebhookActivity } from '../common/api/wire.ts'
import type { Tone } from '../common/ui/tone.ts'

/** The tone of a success rate: good from 99 %, bad below 90 %. undefined without attempts. */
export function rateTone(successes: number, attempts: number): Tone | undefined {
  if (attempts === 0) return undefined
  const rate = successes / attempts
  return rate >= 0.99 ? 'good' : rate < 0.9 ? 'bad' : 'warning'
}

/** Whether more of the last 24 hours' attempts failed than occasional retries explain, although the latest attempt succeeded. */
export const isDegraded = ({ health, attempts, successes }: WebhookActivity): boolean =>
  health.state === 'healthy' && rateTone(successes, attempts) === 'bad'
