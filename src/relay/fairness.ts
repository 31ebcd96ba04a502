import type { Lane, LaneShare } from '../db/system/claims.js'

/**
 * Divides the rows that may be claimed: in turns one company after the other, within a company one webhook after the
 * other, and never more for a webhook than it has free slots. A company with a thousand busy webhooks therefore gets
 * no more than one with a single webhook while both have work.
 */
export function shareRows(lanes: readonly Lane[], free: (lane: string) => number, rows: number): LaneShare[] {
  const companies = groupByCompany(lanes, free)
  const shares = new Map<string, LaneShare & { rows: number }>()
  let left = rows
  while (left > 0 && companies.length > 0) {
    for (const queue of [...companies]) {
      if (left === 0) break
      const next = queue.shift()
      if (!next) {
        companies.splice(companies.indexOf(queue), 1)
        continue
      }
      const share = shares.get(next.lane) ?? { lane: next.lane, companyId: next.companyId, rows: 0 }
      shares.set(next.lane, { ...share, rows: share.rows + 1 })
      left -= 1
      if (next.free > 1) queue.push({ ...next, free: next.free - 1 })
    }
  }
  return [...shares.values()]
}

type OpenLane = Lane & { readonly free: number }

/** Shuffled, so that with more companies than rows nobody is last every time. */
function groupByCompany(lanes: readonly Lane[], free: (lane: string) => number): OpenLane[][] {
  const companies = new Map<string, OpenLane[]>()
  for (const lane of lanes) {
    const open = free(lane.lane)
    if (open <= 0) continue
    const queue = companies.get(lane.companyId) ?? []
    queue.splice(Math.floor(Math.random() * (queue.length + 1)), 0, { ...lane, free: open })
    companies.set(lane.companyId, queue)
  }
  return [...companies.values()]
    .map((queue) => ({ queue, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ queue }) => queue)
}
