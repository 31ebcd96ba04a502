import type { Claim } from '../db/outbox/claims.ts'
import { FAILED_QUEUE, HANDOVER_QUEUE, PAGE_QUEUE } from '../db/outbox/queues.ts'
import type { Room } from './claim.ts'

/**
 * At most this many calls to Temporal are under way at once. Temporal writes the starts of a shard one after the other.
 * With more calls each call only waits longer, reservations lapse before the attempts reach their gates, and Temporal
 * loses tasks (docs/decisions, Calls under way).
 */
const CALLS_AT_ONCE = 16
/**
 * At most this many `handover` rows are under way at once: a quarter of the calls, because many failures of one company
 * must not delay a retry.
 */
const HANDOVERS_AT_ONCE = CALLS_AT_ONCE / 4
/**
 * One claim begins at most this many direct attempts. Slots limit how many are under way. If a limit here counted
 * attempts under way, one company could use it up with endpoints that all hang.
 */
const DIRECT_PER_CLAIM = 128
/** At most this many pages are under way at once, for all commands that page through a whole webhook. */
const PAGES_AT_ONCE = 1
/** The shortest time between the beginnings of two pages, when the first one calls Temporal for each delivery. */
const CALLING_PAGE_INTERVAL_MS = 500

/** The kinds of work. Each kind has its own limit. */
type WorkKind = 'call' | 'handover' | 'page' | 'direct'

/** Counts the work that a relay has under way, and returns how much more it may begin. */
export class WorkUnderWay {
  readonly #counts: Record<WorkKind, number> = { call: 0, handover: 0, page: 0, direct: 0 }

  /**
   * @param ofCalls lowers the room for calls while Temporal is slow
   * @param isDirect whether first attempts are direct
   */
  room(ofCalls: (free: number) => number, isDirect: boolean): Room {
    const { call, handover, page } = this.#counts
    const calls = Math.max(0, ofCalls(CALLS_AT_ONCE - call - handover))
    return {
      calls,
      handovers: Math.max(0, HANDOVERS_AT_ONCE - handover),
      // Keeps one handover at a time under way, however many commands wait. But while no call is under way, a command
      // comes first, because the only call may be the probe of a slow Temporal.
      keptForHandovers: handover === 0 && call > 0 ? Math.min(1, calls) : 0,
      direct: isDirect ? DIRECT_PER_CLAIM : undefined,
      pages: calls === 0 ? 0 : PAGES_AT_ONCE - page,
    }
  }

  /**
   * Counts the work of a claim.
   *
   * @returns a function to call when the work is over, and the pause after it. It returns true if rows may wait for the
   *   place that it freed: then claim again. `isMore`: whether the latest claim left rows
   */
  begin(claim: Claim): (found: { readonly isMore: boolean }) => boolean {
    const kind = kindOf(claim)
    this.#counts[kind] += 1
    return ({ isMore }) => {
      this.#counts[kind] -= 1
      if (kind === 'direct') return isMore
      return kind === 'page' || this.#counts.call + this.#counts.handover === CALLS_AT_ONCE - 1
    }
  }
}

/**
 * How long the place of a claim stays taken after its work, in milliseconds. A page that only uses the database is followed
 * by a rest as long as it took. So pages take at most half of one connection's time, on a slow database too.
 */
export function restMs(claim: Claim, tookMs: number): number {
  if (kindOf(claim) !== 'page') return 0
  return claim.row.kind === 'cancel-webhook' ? Math.max(0, CALLING_PAGE_INTERVAL_MS - tookMs) : tookMs
}

function kindOf({ row, isDirect }: Claim): WorkKind {
  if (isDirect) return 'direct'
  if (row.queue === PAGE_QUEUE) return 'page'
  return row.queue === HANDOVER_QUEUE || row.queue === FAILED_QUEUE ? 'handover' : 'call'
}
