import type { SlotHolder, Slots } from '../attempts/slots.js'
import type { Db } from '../db/connection/connection.js'
import { webhookOfQueue } from '../db/outbox.js'
import { claimShares, type ClaimedRow } from '../db/system/claims.js'
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
  db: Db,
  room: Room,
  { owner, leaseMs, slots, finder }: Claimant,
): Promise<ClaimedRow[]> {
  const { queues, pages } = await finder.find(db)
  const free = {
    webhook: (holder: SlotHolder) => slots.free(holder),
    company: (companyId: string) => slots.freeOfCompany(companyId),
    all: () => slots.freeOfAll(),
  }
  const shares = [...shareRows(pages, free, room.pages), ...shareRows(queues, free, room.calls)]
  const rows = await claimShares(db, shares, owner, leaseMs)
  for (const row of rows) {
    const holder = holderOf(row)
    if (holder) slots.reserve(holder, row.targetId)
  }
  finder.claimed(rows)
  return rows
}

/** The webhook whose slot a row needs; undefined when it needs none. */
export function holderOf({
  companyId,
  queue,
}: Pick<ClaimedRow, 'companyId' | 'queue'>): SlotHolder | undefined {
  const webhookId = webhookOfQueue(queue)
  return webhookId === undefined ? undefined : { companyId, webhookId }
}
