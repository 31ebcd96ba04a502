import type { WebhookActivity } from '../common/api/wire.ts'
import type { Tone } from '../common/ui/tone.ts'

/** What a success rate means: from 99 % it is good, below 90 % it is bad; nothing where there was no attempt. */
export function rateTone(successes: number, attempts: number): Tone | undefined {
  if (attempts === 0) return undefined
  const rate = successes / attempts
  return rate >= 0.99 ? 'good' : rate < 0.9 ? 'bad' : 'warning'
}

/** The latest attempt succeeded, but more of the day's attempts failed than a retry now and then explains. */
export const isDegraded = ({ health, attempts, successes }: WebhookActivity): boolean =>
  health.state === 'healthy' && rateTone(successes, attempts) === 'bad'
