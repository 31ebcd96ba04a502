import { setLatest } from '../domain/latest.ts'
import type { ClaimedRow } from '../db/outbox/claims.ts'
import type { WalkPosition } from '../db/delivery/parked-deliveries.ts'

/** A command's walk over the deliveries of a webhook, or over the webhooks of a company, one page per claim. */
export type Walk<Position> = {
  /** Where the next page begins; undefined: at the beginning. */
  readonly position: Position | undefined
  /** Whether an earlier page left out deliveries that another transaction locked. */
  readonly hasLocked: boolean
}

/** Walks that are remembered. One that was forgotten begins again, which costs time and nothing else. */
const REMEMBERED_WALKS = 1_000
const BEGINNING: Walk<never> = { position: undefined, hasLocked: false }

/**
 * Remembers how far the walks of this worker have come. A command that was queued again has a higher version, and begins
 * again: deliveries may have been parked behind its position. A worker that takes a command over begins again too.
 */
export class Walks<Position = WalkPosition> {
  readonly #walks = new Map<number, { readonly version: number; readonly walk: Walk<Position> }>()

  of({ id, version }: Pick<ClaimedRow, 'id' | 'version'>): Walk<Position> {
    const known = this.#walks.get(id)
    return known?.version === version ? known.walk : BEGINNING
  }

  /** Remembers where the next page begins. */
  goOn({ id, version }: Pick<ClaimedRow, 'id' | 'version'>, walk: Walk<Position>): void {
    setLatest(this.#walks, id, { version, walk }, REMEMBERED_WALKS)
  }

  end({ id }: Pick<ClaimedRow, 'id'>): void {
    this.#walks.delete(id)
  }
}
