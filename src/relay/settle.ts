import type { SystemDb } from '../db/connection/connection.ts'
import type { ClaimedRow } from '../db/outbox/claims.ts'
import { deleteCommand, deleteStarts, putBackRow, releaseRow } from '../db/outbox/rows.ts'

/** What becomes of a claimed row. The handler of a row decides, and `settleRow` alone carries it out. */
export type Verdict =
  /** Its work is done: the row goes, unless it was queued again meanwhile. */
  | { readonly kind: 'done' }
  /** Its delivery needs no start any more: remove the start row, even under another worker's lease. */
  | { readonly kind: 'unneeded' }
  /** The row stays as it is: the transaction that records or parks the delivery removes it. */
  | { readonly kind: 'left' }
  /** Its work is not finished: the row comes again after the pause. The claim does not count as a try. */
  | { readonly kind: 'again'; readonly pauseMs: number }
  /** Its work failed: the row comes again after the pause, with one try more. */
  | { readonly kind: 'failed'; readonly pauseMs: number }

export const DONE: Verdict = { kind: 'done' }
export const UNNEEDED: Verdict = { kind: 'unneeded' }
export const LEFT: Verdict = { kind: 'left' }

/** @param pauseMs 0: it may be claimed at once, behind rows that waited before */
export const again = (pauseMs = 0): Verdict => ({ kind: 'again', pauseMs })

/**
 * Carries out a verdict. A row that has another owner by now, or was queued again, stays as it is, unless it is unneeded.
 * Throws what the database throws.
 */
export async function settleRow(
  db: SystemDb,
  row: ClaimedRow,
  owner: string,
  verdict: Verdict,
): Promise<void> {
  switch (verdict.kind) {
    case 'done':
      return deleteCommand(db, row, owner)
    case 'unneeded':
      return deleteStarts(db, [row.targetId])
    case 'left':
      return
    case 'again':
      return putBackRow(db, row, owner, verdict.pauseMs)
    case 'failed':
      return releaseRow(db, row, owner, verdict.pauseMs)
  }
}
