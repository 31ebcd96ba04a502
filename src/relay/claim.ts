import type { Db } from '../db/connection.js'
import { claimCommands, claimStarts, listDueLanes, type ClaimedRow, type Lane } from '../db/system/claims.js'
import { shareRows } from './fairness.js'

type SlotHolder = { readonly companyId: string; readonly webhookId: string }

/** The relay's view of the slots; the attempts own them. */
export type RelaySlots = {
  free(holder: SlotHolder): number
  freeOfCompany(companyId: string): number
  reserve(holder: SlotHolder, deliveryId: string): void
}

type Claimant = { readonly owner: string; readonly leaseMs: number; readonly slots: RelaySlots }

/** Claims up to `room` rows: commands first, which need no slot, then starts, and reserves the slots of those. */
export async function claimRows(
  db: Db,
  room: number,
  { owner, leaseMs, slots }: Claimant,
): Promise<ClaimedRow[]> {
  const commands = await claimCommands(db, room, owner, leaseMs)
  const free = {
    lane: (lane: Lane) => slots.free(holderOf(lane)),
    company: (companyId: string) => slots.freeOfCompany(companyId),
  }
  const shares = shareRows(await listDueLanes(db), free, room - commands.length)
  const starts = await claimStarts(db, shares, owner, leaseMs)
  for (const row of starts) slots.reserve(holderOf(row), row.subjectId)
  return [...commands, ...starts]
}

/** A start waits in the lane of its webhook. */
const holderOf = ({ companyId, lane }: Lane): SlotHolder => ({ companyId, webhookId: lane })
