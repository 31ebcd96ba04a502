import type { Webhook } from '../common/api/wire.ts'

export type Health = Pick<Webhook['health'], 'state' | 'waiting'>

/**
 * Webhooks that fail first, then by the deliveries that have not arrived. What is equal so far keeps its order: where all arrives
 * in the end, failed attempts alone put nothing before what waits.
 */
export const failingFirst = <Each extends { readonly health: Health }>(
  webhooks: readonly Each[],
): readonly Each[] => webhooks.toSorted((a, b) => byHealth(a.health, b.health))

/** The order of failingFirst, for a comparison that goes on. A health that is not known yet is a good one. */
export const byHealth = (a: Health | undefined, b: Health | undefined): number =>
  Number(b?.state === 'failing') - Number(a?.state === 'failing') || (b?.waiting ?? 0) - (a?.waiting ?? 0)
