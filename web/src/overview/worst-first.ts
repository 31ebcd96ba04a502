import type { WebhookActivity } from '../common/api/wire.ts'

type Counted = Pick<WebhookActivity, 'health' | 'attempts' | 'failures'>

/**
 * Endpoints that fail, then those where most waits, then by the share of failed attempts, the larger number of them first;
 * those without attempts are last. Where all arrives in the end, failed attempts alone put nothing before what waits.
 */
export const worstFirst = <Each extends Counted>(counted: readonly Each[]): readonly Each[] =>
  counted.toSorted(
    (a, b) =>
      Number(b.health.state === 'failing') - Number(a.health.state === 'failing') ||
      b.health.waiting - a.health.waiting ||
      shareOf(b) - shareOf(a) ||
      b.failures - a.failures ||
      b.attempts - a.attempts,
  )

const shareOf = ({ attempts, failures }: Counted): number => (attempts === 0 ? -1 : failures / attempts)
