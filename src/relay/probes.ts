import type { EndpointLimits } from '../attempts/endpoint-limits.js'
import type { Db } from '../db/connection/connection.js'
import { isFirstQueue } from '../db/outbox.js'
import type { Claim, QueueShare } from '../db/system/claims.js'
import { settleProbe, takeProbes } from '../db/system/endpoint-health.js'

/** What the relay uses of the limits, which belong to src/attempts. */
export type RelayLimits = Omit<EndpointLimits, 'learn' | 'failing'>

/** A worker that others have overtaken asks again after this. */
const REFUSED_PAUSE_MS = 250

/**
 * Claims rows, and lets the first attempts of failing endpoints through one at a time over all workers: the database
 * gives each probe to one of them.
 *
 * @param probeMs how long a probe may be under way before the next one may go without its record
 */
export async function claimWithProbes(
  db: Db,
  shares: readonly QueueShare[],
  limits: RelayLimits,
  probeMs: number,
  claim: (shares: readonly QueueShare[]) => Promise<Claim[]>,
): Promise<Claim[]> {
  const isFirst = ({ queue }: { readonly queue: string }) => isFirstQueue(queue)
  const failing = shares
    .filter(isFirst)
    .map(({ queue }) => queue)
    .filter((webhookId) => limits.isFailing(webhookId))
  const taken = failing.length > 0 ? await takeProbes(db, failing, probeMs) : new Set<string>()
  for (const id of failing) limits.holdProbe(id, taken.has(id) ? probeMs : REFUSED_PAUSE_MS)
  const refused = new Set(failing.filter((id) => !taken.has(id)))
  let claims: readonly Claim[] = []
  try {
    const claimed = await claim(shares.filter(({ queue }) => !refused.has(queue)))
    for (const { row } of claimed.filter((one) => isFirst(one.row))) limits.begin(row.queue)
    claims = claimed
    return claimed
  } finally {
    // A probe that claimed nothing is given back.
    const probeOf = (id: string) => claims.find(({ row }) => row.queue === id)?.row.targetId
    await Promise.all([...taken].map((id) => settleProbe(db, id, probeOf(id))))
  }
}
