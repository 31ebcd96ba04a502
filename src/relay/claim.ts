import type { SlotHolder, Slots } from '../attempts/slots.js'
import type { Db } from '../db/connection/connection.js'
import { webhookOfQueue } from '../db/outbox.js'
import { claimShares, type ClaimedRow } from '../db/system/claims.js'
import type { CandidateFinder } from './candidates.js'
import { shareRows } from './fairness.js'

/** The relay's view of the slots; the attempts own them. */
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
  /** Of commands that go over a whole webhook: they have a budget of their own. */
  readonly pages: number
}

/** Claims rows within the room, in turns between companies, and reserves the slots of those that need one. */
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

/** Whose slot a row needs; undefined where it needs none. */
export function holderOf({
  companyId,
  queue,
}: Pick<ClaimedRow, 'companyId' | 'queue'>): SlotHolder | undefined {
  const webhookId = webhookOfQueue(queue)
  return webhookId === undefined ? undefined : { companyId, webhookId }
}
