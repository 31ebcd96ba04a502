import type { Knex } from 'knex'
import { addToResourceCounter } from '../../db/event/resource-counters.ts'
import { insertResource } from '../../db/event/resource-rows.ts'
import type { Deps } from '../../deps/deps.ts'
import type { Actor } from '../../domain/actor.ts'
import { type StoredEvent, publisherOf } from '../../domain/event/event.ts'
import type { EventType } from '../../domain/event/catalog.ts'
import { newId } from '../../domain/ids.ts'
import {
  formerValues,
  newFields,
  type FamilyDescription,
  type Fields,
  type ResourceRecord,
} from '../../domain/event/resources.ts'
import { checkNewRecord } from '../../domain/event/fields.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { presentResource } from '../../presenters/resources.ts'
import { keepAnswer, type AnswerToKeep } from '../idempotency.ts'
import { createEvents } from '../event/publish.ts'
import { inPublish, type WriteEvents } from '../event/write-events.ts'
import { spendQuota, type PublishQuota } from '../event/publish-quota.ts'
import type { SharedPublishes } from '../event/shared-publishes.ts'

type CreateOptions = {
  /** Lets creations share transactions with publishes. Without it each has its own. */
  readonly shared?: SharedPublishes
  /** The company's events per minute. Without it the events count nowhere. */
  readonly quota?: PublishQuota
  /** Who creates the record, and so publishes the events. */
  readonly actor?: Actor
  readonly kept?: AnswerToKeep<ResourceRecord>
  readonly traceparent?: string | undefined
}

/**
 * Creates a record and publishes its events in one transaction.
 *
 * @throws ApiError VALIDATION_ERROR; RATE_LIMITED when the quota of the company is used up
 */
export async function createResource(
  deps: Deps,
  tenant: Tenant,
  family: FamilyDescription,
  given: Fields,
  { shared, quota, actor, kept, traceparent }: CreateOptions = {},
): Promise<ResourceRecord> {
  const now = deps.clock()
  const record: ResourceRecord = {
    id: newId(family.entity),
    family: family.family,
    fields: newFields(family, checkNewRecord(family, given)),
    revision: 1,
    createdAt: now,
    updatedAt: now,
  }
  const events = eventsOf(deps, family.events(undefined, record.fields), record, { actor })
  return spendQuota(quota, tenant, events.length, async () => {
    if (shared && !kept?.hold && (await shared.publish(tenant, events, { record, traceparent })))
      return record
    const work = async (trx: Knex.Transaction, writeEvents: WriteEvents) => {
      await insertResource(trx, tenant, record)
      await writeEvents(events)
      await addToResourceCounter(trx, tenant, family.family, 1)
      return keepAnswer(trx, kept, record)
    }
    return inPublish(deps, tenant, work, { events, traceparent })
  })
}

type ToldChange = {
  /** Given if it differs from the revision of the record: a deletion leaves the record as it was, and counts as a change. */
  readonly revision?: number
  /** The fields before a change. */
  readonly former?: Fields
  /** Who made the change. */
  readonly actor: Actor | undefined
}

/** Events of these types about the record. */
export function eventsOf(
  deps: Deps,
  types: readonly EventType[],
  record: ResourceRecord,
  { revision = record.revision, former, actor }: ToldChange,
): StoredEvent[] {
  const content = { subject: record.id, revision, data: presentResource(record) }
  const previousOf = (type: EventType) => former && formerValues(type, former, record.fields)
  return createEvents(
    deps,
    types.map((type) => ({ type, ...content, previous: previousOf(type) })),
    publisherOf(actor, 'record'),
  )
}
