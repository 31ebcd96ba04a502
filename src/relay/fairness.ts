import type { SlotHolder } from '../attempts/slot-pool.ts'
import type { QueueShare } from '../db/outbox/claims.ts'
import { type Queue, isFirstQueue, webhookOfQueue } from '../db/outbox/queues.ts'

/** Slots that the relay may fill now. */
export type FreeSlots = {
  /** Free slots of one webhook. */
  webhook(holder: SlotHolder): number
  /** First attempts that the webhook's endpoint may get now. `probe`: one attempt, in an extra slot that only probes use. */
  firstAttempts(webhookId: string): number | 'probe'
  /** Free slots of all webhooks of a company together. */
  company(companyId: string): number
  /** Free slots of all companies together. */
  all(): number
}

/** How many rows may still be claimed. Several queues may share one budget. */
export type Budget = { left: number }

/**
 * Gives out the rows that may be claimed, one at a time, by round-robin. Companies take turns. Within a company its
 * webhooks take turns, and within a webhook its first attempts, direct retries and due deliveries. So of two companies
 * that have work, the one with a thousand busy webhooks gets as many rows as the one with a single webhook. A webhook,
 * a company or the process never gets more rows than it has free slots. Commands need no slot, but count as rows of
 * their company.
 *
 * @param budgetOf returns the budget of a queue. Each row of the queue takes one from that budget
 */
export function shareRows(
  queues: readonly Queue[],
  free: FreeSlots,
  budgetOf: (queue: Queue) => Budget,
): QueueShare[] {
  const hasBudget = (queue: Queue) => budgetOf(queue).left > 0
  let companies = groupByCompany(queues.filter(hasBudget), free)
  const shares = new Map<Queue, QueueShare & { rows: number }>()
  let slotsLeft = free.all()
  if (slotsLeft <= 0) companies.forEach(keepCommands)
  while (companies.length > 0) {
    for (const company of companies) {
      const queue = takeNext(company)
      if (!queue) continue
      const share = shares.get(queue) ?? { ...queue, rows: 0 }
      shares.set(queue, { ...share, rows: share.rows + 1 })
      const budget = budgetOf(queue)
      budget.left -= 1
      if (budget.left === 0) companies.forEach((one) => keepQueues(one, hasBudget))
      if (webhookOfQueue(queue.queue) !== undefined) slotsLeft -= 1
      if (slotsLeft <= 0) companies.forEach(keepCommands)
    }
    companies = companies.filter(({ sources }) => sources.length > 0)
  }
  return [...shares.values()]
}

/** A webhook with its queues, or the commands of a company. */
type Source = { queues: SourceQueue[]; readonly needsSlot: boolean; free: number }

/** A queue, and how many of its rows may still be claimed. Free slots limit this number further. */
type SourceQueue = { readonly queue: Queue; left: number }

type Company = { sources: Source[]; free: number }

/** Takes the company's next queue. Moves it to the end of its webhook, and the webhook to the end of its company. */
function takeNext(company: Company): Queue | undefined {
  const source = company.sources.shift()
  const next = source?.queues.shift()
  if (!source || !next) return undefined
  next.left -= 1
  if (next.left > 0) source.queues.push(next)
  source.free -= 1
  if (source.free > 0 && source.queues.length > 0) company.sources.push(source)
  if (source.needsSlot) company.free -= 1
  if (company.free <= 0) keepCommands(company)
  return next.queue
}

/** Keeps only the queues for which `isKept` is true, and the sources that still have a queue. */
function keepQueues(company: Company, isKept: (queue: Queue) => boolean): void {
  company.sources = company.sources
    .map((source) => ({ ...source, queues: source.queues.filter(({ queue }) => isKept(queue)) }))
    .filter(({ queues }) => queues.length > 0)
}

/** Drops the sources that need a slot, because no slot is free. */
function keepCommands(company: Company): void {
  company.sources = company.sources.filter(({ needsSlot }) => !needsSlot)
}

/** Returns the companies in random order, so that no company is last every time when there are more companies than rows. */
function groupByCompany(queues: readonly Queue[], free: FreeSlots): Company[] {
  const companies = Map.groupBy(queues, ({ companyId }) => companyId)
  return shuffle([...companies]).map(([companyId, ofCompany]) => {
    const sources = new Map<string, Source>()
    for (const queue of ofCompany) addTo(sources, queue, free)
    const open = free.company(companyId)
    const usable = [...sources.values()].filter(({ needsSlot }) => !needsSlot || open > 0)
    return { sources: shuffle(usable), free: open }
  })
}

function addTo(sources: Map<string, Source>, queue: Queue, free: FreeSlots): void {
  const webhookId = webhookOfQueue(queue.queue)
  const allowed =
    webhookId !== undefined && isFirstQueue(queue.queue) ? free.firstAttempts(webhookId) : Infinity
  const isProbe = allowed === 'probe'
  const left = isProbe ? 1 : Math.floor(allowed)
  if (left <= 0) return
  // A probe is a source of its own: retries may use all slots of its webhook.
  const name = isProbe ? `${queue.queue} probe` : (webhookId ?? '')
  const known = sources.get(name)
  if (known) {
    known.queues.splice(Math.floor(Math.random() * (known.queues.length + 1)), 0, { queue, left })
    return
  }
  const slots = webhookId === undefined ? Infinity : free.webhook({ companyId: queue.companyId, webhookId })
  const open = isProbe ? 1 : slots
  if (open > 0) {
    sources.set(name, { queues: [{ queue, left }], needsSlot: webhookId !== undefined, free: open })
  }
}

const shuffle = <T>(values: readonly T[]): T[] =>
  values
    .map((value) => ({ value, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value)
