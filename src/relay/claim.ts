import type { SlotHolder, Slots } from '../attempts/slots.js'
import type { Deps } from '../process/deps.js'
import { webhookOfQueue } from '../db/outbox.js'
import { claimShares, type Claim, type ClaimedRow } from '../db/system/claims.js'
import type { CandidateFinder } from './candidates.js'
import { shareRows } from './fairness.js'

/** What the relay uses of the slots, which belong to src/attempts. */
export type RelaySlots = Omit<Slots, 'take'>

type Claimant = {
  readonly owner: string
  readonly leaseMs: number
  readonly slots: RelaySlots
  readonly finder: CandidateFinder
}

/** How many rows may be claimed. */
export type Room = {
  readonly calls: number
  /** Commands that page through a whole webhook: they have a budget of their own. */
  readonly pages: number
}

/** Claims rows within the room, shared fairly between companies, and reserves slots for the rows that need one. */
export async function claimRows(
  { db, batchDb }: Pick<Deps, 'db' | 'batchDb'>,
  room: Room,
  { owner, leaseMs, slots, finder }: Claimant,
): Promise<Claim[]> {
  const { queues, pages } = await finder.find(db)
  const free = {
    webhook: (holder: SlotHolder) => slots.free(holder),
    company: (companyId: string) => slots.freeOfCompany(companyId),
    all: () => slots.freeOfAll(),
  }
  const shares = [...shareRows(pages, free, room.pages), ...shareRows(queues, free, room.calls)]
  const claims = await claimShares(batchDb, shares, owner, leaseMs)
  const rows = claims.map(({ row }) => row)
  for (const row of rows) {
    const holder = holderOf(row)
    if (holder) slots.reserve(holder, row.targetId)
  }
  finder.claimed(rows)
  return claims
}

/** The webhook whose slot a row needs; undefined when it needs none. */
export function holderOf({
  companyId,
  queue,
}: Pick<ClaimedRow, 'companyId' | 'queue'>): SlotHolder | undefined {
  const webhookId = webhookOfQueue(queue)
  return webhookId === undefined ? undefined : { companyId, webhookId }
}
