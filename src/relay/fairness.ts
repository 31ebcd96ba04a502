import type { Lane, LaneShare } from '../db/system/claims.js'

/** Slots that the relay may fill now. */
export type FreeSlots = {
  /** Of one webhook. */
  lane(lane: Lane): number
  /** Of all webhooks of a company together. */
  company(companyId: string): number
}

/**
 * Divides the rows that may be claimed: in turns one company after the other, within a company one webhook after the
 * other, and never more for a webhook or a company than it has free slots. A company with a thousand busy webhooks
 * therefore gets no more than one with a single webhook while both have work.
 */
export function shareRows(lanes: readonly Lane[], free: FreeSlots, rows: number): LaneShare[] {
  let companies = groupByCompany(lanes, free)
  const shares = new Map<string, LaneShare & { rows: number }>()
  let left = rows
  while (left > 0 && companies.length > 0) {
    for (const company of companies) {
      if (left === 0) break
      const next = company.queue.shift()
      if (!next) continue
      const share = shares.get(next.lane) ?? { lane: next.lane, companyId: next.companyId, rows: 0 }
      shares.set(next.lane, { ...share, rows: share.rows + 1 })
      left -= 1
      company.free -= 1
      if (next.free > 1) company.queue.push({ ...next, free: next.free - 1 })
    }
    companies = companies.filter(({ queue, free }) => queue.length > 0 && free > 0)
  }
  return [...shares.values()]
}

type Company = { readonly queue: (Lane & { readonly free: number })[]; free: number }

/** Shuffled, so that with more companies than rows nobody is last every time. */
function groupByCompany(lanes: readonly Lane[], free: FreeSlots): Company[] {
  const companies = new Map<string, Company>()
  for (const lane of lanes) {
    const open = free.lane(lane)
    if (open <= 0) continue
    const known = companies.get(lane.companyId)
    const company = known ?? { queue: [], free: free.company(lane.companyId) }
    company.queue.splice(Math.floor(Math.random() * (company.queue.length + 1)), 0, { ...lane, free: open })
    companies.set(lane.companyId, company)
  }
  return [...companies.values()]
    .filter((company) => company.free > 0)
    .map((company) => ({ company, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ company }) => company)
}
