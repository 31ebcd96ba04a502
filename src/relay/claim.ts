import type { EndpointLimits } from '../attempts/endpoint-limits.ts'
import type { SlotHolder } from '../attempts/slot-pool.ts'
import type { Slots } from '../attempts/slots.ts'
import type { SystemDeps } from '../deps/deps.ts'
import {
  COMMAND_QUEUE,
  FAILED_QUEUE,
  HANDOVER_QUEUE,
  isFirstQueue,
  isStartQueue,
  PAGE_QUEUE,
  webhookOfQueue,
  type Queue,
} from '../db/outbox/queues.ts'
import { claimShares, type Claim, type Claimant, type QueueShare } from '../db/outbox/claims.ts'
import type { ClaimedRow } from '../db/outbox/outbox.ts'
import type { CandidateFinder } from './candidates.ts'
import type { Probes } from './probes.ts'
import { shareRows, type Budget, type FreeSlots } from './fairness.ts'

type Options = Claimant & {
  readonly slots: Slots
  readonly limits: EndpointLimits
  readonly probes: Pick<Probes, 'take' | 'claim'>
  readonly finder: CandidateFinder
}

/** How many rows may be claimed. */
export type Room = {
  /** Rows that take a call to Temporal. */
  readonly calls: number
  /** `handover` rows may take at most this many of the calls. Other commands take their calls first. */
  readonly handovers: number
  /** If `handover` rows wait, other commands must leave this many of the calls to them. */
  readonly keptForHandovers: number
  /** Direct attempts. Undefined if workflows make first attempts, because each first attempt then takes a call. */
  readonly direct: number | undefined
  /** Commands that page through a whole webhook. They have their own budget. */
  readonly pages: number
}

/** The claimed rows. `isMore`: with more room or slots, more rows could have been claimed. */
type Claimed = { readonly claims: readonly Claim[]; readonly isMore: boolean }

/** Claims as many rows as there is room for, fairly divided among companies. Reserves slots for rows that need one. */
export async function claimRows(
  { db, batchDb, traces }: Pick<SystemDeps, 'db' | 'batchDb' | 'traces'>,
  room: Room,
  { slots, limits, probes, finder, ...claimant }: Options,
): Promise<Claimed> {
  const queues = await finder.next(db)
  if (queues.some(({ queue }) => isFirstQueue(queue))) await limits.refresh()
  const isAnyOpen = queues.some(({ queue }) => !isFirstQueue(queue) || firstAttempts(limits, queue) !== 0)
  const { shares, callsLeft } = share(queues, room, {
    webhook: (holder) => slots.free(holder),
    firstAttempts: (webhookId) => firstAttempts(limits, webhookId),
    // Each slot that a company takes lowers its free slots by two: the company uses one more, and the process has one
    // less free. So one claim may take half of them.
    company: (companyId) => Math.ceil(slots.freeOfCompany(companyId) / 2),
    all: () => slots.freeOfAll(),
  })
  const { granted, taken } = await probes.take(shares)
  let claims: readonly Claim[] = []
  let rows: readonly ClaimedRow[] = []
  try {
    const how = { ...claimant, starts: callsLeft, isTraced: traces !== undefined }
    claims = await claimShares(batchDb, granted, how)
    rows = claims.map(({ row }) => row)
  } finally {
    await probes.claim(taken, rows)
  }
  for (const row of rows) {
    const holder = holderOfRow(row)
    if (holder) slots.reserve(holder, row.targetId)
  }
  finder.claimed(rows)
  finder.emptied(granted.filter((one) => rows.filter(({ queue }) => queue === one.queue).length < one.rows))
  // Without a free slot, `claims.length` and `wanted` are both 0. So `isMore` is true then if any queue has rows, and the
  // relay claims again when an attempt has ended.
  const wanted = granted.reduce((sum, one) => sum + one.rows, 0)
  return { claims, isMore: isAnyOpen && (claims.length === wanted || finder.isPartial) }
}

function firstAttempts(limits: EndpointLimits, webhookId: string): number | 'probe' {
  const admission = limits.admission(webhookId)
  switch (admission.kind) {
    case 'free':
      return Infinity
    case 'wait':
      return 0
    case 'probe':
      return 'probe'
    case 'recovering':
      return admission.allowed
  }
}

/**
 * Divides the room. `handover` rows come last. Among them, deliveries with attempts left come before deliveries that
 * failed for good. `callsLeft`: calls that nobody got. The claim gives them to first attempts that need a workflow
 * after all.
 */
function share(
  queues: readonly Queue[],
  room: Room,
  free: FreeSlots,
): { readonly shares: QueueShare[]; readonly callsLeft: number } {
  const handoverQueues = [HANDOVER_QUEUE, FAILED_QUEUE].map((name) =>
    queues.filter(({ queue }) => queue === name),
  )
  const kept = handoverQueues.some(({ length }) => length > 0) ? room.keptForHandovers : 0
  const calls = { left: room.calls - kept }
  const direct = room.direct === undefined ? calls : { left: room.direct }
  const budgetOf = ({ queue }: Queue) => (isStartQueue(queue) ? direct : calls)
  const others = queues.filter(({ queue }) => webhookOfQueue(queue) !== undefined || queue === COMMAND_QUEUE)
  const pageQueues = queues.filter(({ queue }) => queue === PAGE_QUEUE)
  const pages = shareRows(pageQueues, free, always({ left: room.pages }))
  const first = shareRows(others, free, budgetOf)
  const most = Math.min(room.handovers, calls.left + kept)
  const handovers = { left: most }
  const last = handoverQueues.flatMap((some) => shareRows(some, free, always(handovers)))
  const callsLeft = calls.left + kept - (most - handovers.left)
  return { shares: [...pages, ...first, ...last], callsLeft }
}

const always = (budget: Budget) => () => budget

/** The webhook whose slot a row needs; undefined when it needs none. */
export function holderOfRow({ companyId, queue }: ClaimedRow): SlotHolder | undefined {
  const webhookId = webhookOfQueue(queue)
  return webhookId === undefined ? undefined : { companyId, webhookId }
}

/** Frees the slot that is reserved for a row, if the row needs a slot. Call it when no attempt is sent for the row now. */
export function freeSlotOf(row: ClaimedRow, slots: Slots): void {
  const holder = holderOfRow(row)
  if (holder) slots.cancelReservation(holder, row.targetId)
}
