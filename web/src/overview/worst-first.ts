import type { Webhook, WebhookActivity } from '../common/api/wire.ts'

type Health = Pick<Webhook['health'], 'state' | 'waiting'>

/**
 * Webhooks that fail first, then by the deliveries that have not arrived. What is equal so far keeps its order: where all arrives
 * in the end, failed attempts alone put nothing before what waits.
 */
export const failingFirst = <Each extends { readonly health: Health }>(
  webhooks: readonly Each[],
): readonly Each[] => webhooks.toSorted((a, b) => byHealth(a.health, b.health))

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

const byHealth = (a: Health | undefined, b: Health | undefined): number =>
  Number(b?.state === 'failing') - Number(a?.state === 'failing') || (b?.waiting ?? 0) - (a?.waiting ?? 0)

const shareOf = ({ attempts, failures }: Counted): number => (attempts === 0 ? -1 : failures / attempts)
