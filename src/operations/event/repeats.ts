import type { Knex } from 'knex'
import { isDuplicate } from '../../db/connection/errors.ts'
import { findEvents, insertEvents } from '../../db/event/events.ts'
import type { Deps } from '../../deps/deps.ts'
import { ApiError } from '../../domain/errors.ts'
import type { StoredEvent } from '../../domain/event/event.ts'
import type { Tenant } from '../../domain/tenant.ts'

/** What a publish returns for an event. `isNew` is false for an id that was published before. */
export type PublishedEvent = Pick<StoredEvent, 'id' | 'type' | 'createdAt' | 'deliveries'> & {
  readonly isNew: boolean
}

/**
 * Inserts the events that are new, and finds the others. If callers chose ids, call it before any other write of the
 * transaction: a parallel publish of the same id then waits here, and finds the event.
 *
 * @throws ApiError CONFLICT when an id was published with another content
 */
export async function insertUnlessRepeated(
  trx: Knex.Transaction,
  tenant: Tenant,
  events: readonly StoredEvent[],
): Promise<{ fresh: StoredEvent[]; repeated: StoredEvent[] }> {
  const repeated: StoredEvent[] = []
  let fresh = [...events].sort((a, b) => (a.id < b.id ? -1 : 1))
  while (fresh.length > 0) {
    try {
      await insertEvents(trx, tenant, fresh)
      break
    } catch (error) {
      if (!isDuplicate(error)) throw error
      const ids = fresh.map(({ id }) => id)
      const existing = await findEvents(trx, tenant, ids)
      if (existing.length === 0) throw error
      for (const event of existing) refuseOtherContent(event, events)
      repeated.push(...existing)
      fresh = fresh.filter(({ id }) => !existing.some((event) => event.id === id))
    }
  }
  return { fresh, repeated }
}

/**
 * Finds events that were published before. Call it before any write, so that a batch with a conflict writes nothing.
 *
 * @param chosen the ids that the caller chose; ids that this service makes never repeat
 * @returns by id: what the first publish of the event answered
 * @throws ApiError CONFLICT when an id was published with another content
 */
export async function findKnown(
  { db }: Deps,
  tenant: Tenant,
  chosen: readonly string[],
  events: readonly StoredEvent[],
): Promise<Map<string, PublishedEvent>> {
  if (chosen.length === 0) return new Map()
  const existing = await findEvents(db, tenant, chosen)
  for (const event of existing) refuseOtherContent(event, events)
  return new Map(existing.map((event) => [event.id, toPublished(event, false)]))
}

function refuseOtherContent(existing: StoredEvent, events: readonly StoredEvent[]): void {
  const index = events.findIndex(({ id }) => id === existing.id)
  if (events[index]?.fingerprint.equals(existing.fingerprint)) return
  const where = events.length > 1 ? `events[${index}]: ` : ''
  throw new ApiError('CONFLICT', `${where}The event id ${existing.id} was published with another content.`)
}

export const toPublished = (event: StoredEvent, isNew: boolean): PublishedEvent => {
  const { id, type, createdAt, deliveries } = event
  return { id, type, createdAt, deliveries, isNew }
}
