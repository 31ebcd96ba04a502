import type { WebhookActivity } from '../common/api/wire.ts'

type Counted = Pick<WebhookActivity, 'webhook_id' | 'health' | 'attempts' | 'failures'>

/**
 * The endpoints that need attention, in the order of that list; then others that fail, then those where most waits, then by the share of failed attempts, the larger number of them first;
 * those without attempts are last. Where all arrives in the end, failed attempts alone put nothing before what waits.
 */
export function worstFirst<Each extends Counted>(
  counted: readonly Each[],
  needAttention: readonly string[],
): readonly Each[] {
  const places = new Map(needAttention.map((id, place) => [id, place]))
  const placeOf = ({ webhook_id }: Counted) => places.get(webhook_id) ?? places.size
  return counted.toSorted(
    (a, b) =>
      placeOf(a) - placeOf(b) ||
      Number(b.health.state === 'failing') - Number(a.health.state === 'failing') ||
      b.health.waiting - a.health.waiting ||
      shareOf(b) - shareOf(a) ||
      b.failures - a.failures ||
      b.attempts - a.attempts,
  )
}

const shareOf = ({ attempts, failures }: Counted): number => (attempts === 0 ? -1 : failures / attempts)

/**
 * The endpoints to be counted where there are more than can be counted at once: those that need attention before others. They are
 * given in the order of `ids`, so that what is asked for stays the same while only the order of attention changes.
 *
 * @param most how many can be counted at once
 */
export function countedFirst(
  ids: readonly string[],
  needAttention: readonly string[],
  most: number,
): readonly string[] {
  const there = new Set(ids)
  const concerned = needAttention.filter((id) => there.has(id))
  const chosen = new Set([...new Set([...concerned, ...ids])].slice(0, most))
  return ids.filter((id) => chosen.has(id))
}
