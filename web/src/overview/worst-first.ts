import type { WebhookActivity } from '../common/api/wire.ts'

type Counted = Pick<WebhookActivity, 'webhook_id' | 'health' | 'attempts' | 'failures'>

/**
 * Sorts endpoints: first those that need attention, in the order of that list; then others that fail; then by the number of
 * waiting deliveries; then by the share of failed attempts, and then by their number. Endpoints without attempts come last.
 * So an endpoint that failed but has nothing left waiting comes after one with waiting deliveries.
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
 * The endpoints to count, if there are more than one call can count: those that need attention come first. The result is in
 * the order of `ids`, so that the request stays the same when only the order of attention changes.
 *
 * @param most how many endpoints one call can count
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
