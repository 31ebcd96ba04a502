import { setTimeout as pause } from 'node:timers/promises'
import { findListedEvents } from '../../db/event/event-places.ts'
import { findFeedWindow } from '../../db/event/feed.ts'
import type { Deps } from '../../deps/deps.ts'
import {
  checkPlace,
  cursorExpired,
  entriesAfter,
  type FeedEntry,
  type FeedPlace,
} from '../../domain/event/feed.ts'
import type { ListedEvent } from '../../domain/event/event.ts'
import { MAXIMUM_PAGE_SIZE } from '../../domain/pagination.ts'
import { tenantKey, type Tenant } from '../../domain/tenant.ts'
import type { CostLimits } from '../cost-limits.ts'
import type { WaitEnd } from './feed-reader.ts'
import type { FeedReaders } from './feed-readers.ts'

/** A part of a feed. The next part begins after `place`. `isAtEnd`: there was no event after `place`. */
export type FeedPart = {
  readonly items: readonly ListedEvent[]
  readonly place: number
  readonly isAtEnd: boolean
}

type PartRequest = {
  readonly from: FeedPlace
  readonly limit: number
  /** Only events of these types; by default events of all types. */
  readonly types?: readonly string[] | undefined
  readonly makeRoom: (bytes: number) => Promise<void>
}

export type FeedRequest = PartRequest & {
  readonly keyId: string
  readonly waitMs: number
  /** Called after a wait, before events are returned. Throws if the caller lost its rights during the wait. */
  readonly recheck: () => Promise<void>
  /** Registers a listener that is called when the client is gone. */
  readonly onGone: (listener: () => void) => void
}

/** At most this many statements search for the events of one part. Then the reader must ask for the next part. */
const MOST_READS = 10

/** The pause of a reader, in milliseconds, after it was woken and found no event of its types. */
const REST_MS = 200

/**
 * Reads feeds for callers, who may wait. Each read is under the cost limits of `list`. Readers at the same place share
 * one read.
 */
export class Feed {
  readonly #deps: Pick<Deps, 'db'>
  readonly #limits: Pick<CostLimits, 'run'>
  readonly #readers: FeedReaders
  readonly #underWay = new Map<string, Promise<FeedPart>>()

  constructor(deps: Pick<Deps, 'db'>, limits: Pick<CostLimits, 'run'>, readers: FeedReaders) {
    this.#deps = deps
    this.#limits = limits
    this.#readers = readers
  }

  /**
   * Returns the next events after a place, oldest first. If there is none, it waits for one, for `waitMs` at most. It
   * does not wait when MOST_WAITING readers wait already. It returns an empty part if no event came. With `types` a
   * part may be empty although it is not at the end.
   *
   * @throws whatever `recheck` throws. ApiError VALIDATION_ERROR or CURSOR_EXPIRED for the place; RATE_LIMITED or
   *   SERVICE_UNAVAILABLE from the limits of `list`
   */
  async follow(
    tenant: Tenant,
    { keyId, waitMs, recheck, onGone, ...request }: FeedRequest,
  ): Promise<FeedPart> {
    const untilMs = performance.now() + waitMs
    const reader = waitMs > 0 ? this.#readers.enter(tenant, keyId) : undefined
    onGone(() => reader?.wake('over'))
    let from = request.from
    let end: WaitEnd | undefined
    try {
      for (;;) {
        reader?.begin()
        const part = await this.#share(tenant, { ...request, from })
        if (part.items.length > 0 && end) await recheck()
        if (part.items.length > 0 || !part.isAtEnd || !reader || end === 'unsure') return part
        if (end) await pause(REST_MS)
        end = await reader.wait(part.place, untilMs - performance.now())
        if (end === 'over') return part
        from = part.place
      }
    } finally {
      reader?.leave()
    }
  }

  /** Shares one read between readers at the same place, because a ring wakes them together. */
  #share(tenant: Tenant, { makeRoom, ...request }: PartRequest): Promise<FeedPart> {
    const { from, limit, types } = request
    const name = JSON.stringify([tenantKey(tenant), from, limit, types])
    const shared = this.#underWay.get(name)
    if (shared) return shared
    const reading = this.#limits
      .run('list', tenant.companyId, (rest) =>
        readPart(this.#deps, tenant, { ...request, makeRoom: (bytes) => rest(() => makeRoom(bytes)) }),
      )
      .finally(() => this.#underWay.delete(name))
    this.#underWay.set(name, reading)
    return reading
  }
}

async function readPart(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  { from, limit, types, makeRoom }: PartRequest,
): Promise<FeedPart> {
  const found: FeedEntry[] = []
  let place = from === 'start' ? 0 : from === 'end' ? Number.MAX_SAFE_INTEGER : from
  let isAtEnd = false
  for (let reads = 0; reads < MOST_READS && found.length < limit && !isAtEnd; reads++) {
    const window = await findFeedWindow(db, tenant, place, types ? MAXIMUM_PAGE_SIZE : limit)
    place = checkPlace(tenant, reads === 0 ? from : place, window)
    for (const entry of entriesAfter(window.rows, place)) {
      if (found.length === limit) break
      if (!types || types.includes(entry.type)) found.push(entry)
      place = entry.position
    }
    isAtEnd = place === window.head
  }
  const ids = found.map(({ id }) => id)
  const events =
    ids.length > 0 ? await findListedEvents(db, tenant, ids, { withPayload: true, makeRoom }) : []
  const byId = new Map(events.map((event) => [event.id, event]))
  const gone = found.findLast(({ id }) => !byId.has(id))
  if (gone && from !== 'start') throw cursorExpired(tenant, gone.position)
  const left = found.filter(({ position }) => position > (gone?.position ?? 0))
  return { items: left.flatMap(({ id }) => byId.get(id) ?? []), place, isAtEnd }
}
