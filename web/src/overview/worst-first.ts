import type { WebhookActivity } from '../common/api/wire.ts'
import { byHealth, type Health } from '../webhooks/failing-first.ts'

type Counted = Pick<WebhookActivity, 'attempts' | 'failures'> & { readonly health?: Health | undefined }

/** As failingFirst, then by the share of failed attempts, the larger number of them first; those without attempts are last. */
export const worstFirst = <Each extends Counted>(counted: readonly Each[]): readonly Each[] =>
  counted.toSorted(
    (a, b) =>
      byHealth(a.health, b.health) ||
      shareOf(b) - shareOf(a) ||
      b.failures - a.failures ||
      b.attempts - a.attempts,
  )

const shareOf = ({ attempts, failures }: Counted): number => (attempts === 0 ? -1 : failures / attempts)
