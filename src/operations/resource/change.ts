import type { Knex } from 'knex'
import {
  addToResourceCounter,
  deleteResource,
  insertResource,
  lockResource,
  updateResource,
} from '../../db/event/resource-rows.ts'
import type { Deps } from '../../deps/deps.ts'
import type { Actor } from '../../domain/actor.ts'
import type { EventType } from '../../domain/event/catalog.ts'
import { publisherOf, type StoredEvent } from '../../domain/event/event.ts'
import { checkNewRecord, checkRecordChange } from '../../domain/event/fields.ts'
import {
  changedFields,
  formerValues,
  mergeFields,
  newFields,
  titleOf,
  type FamilyDescription,
  type Fields,
  type ResourceRecord,
} from '../../domain/event/resources.ts'
import { orNotFound } from '../../domain/errors.ts'
import { isId, newId } from '../../domain/ids.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { presentResource } from '../../presenters/events.ts'
import { createEvents, type Publishing } from '../event/publish.ts'
import { spendQuota } from '../minute-limits.ts'
import type { SharedPublishes } from '../event/shared-publishes.ts'
import { inPublish, type WriteEvents } from '../event/write-events.ts'
import { keepAnswer, type AnswerToKeep } from '../idempotency.ts'

type CreateOptions = Publishing & {
  /** Lets creations share transactions with publishes. Without it each creation has its own. */
  readonly shared?: SharedPublishes
  readonly kept?: AnswerToKeep<ResourceRecord>
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

/** How many events one change of a record publishes at most. A deal publishes one for its stage and one for its other fields. */
const MOST_EVENTS = 2

/**
 * Changes the given fields. If the values are the same as before, it writes nothing and publishes nothing.
 *
 * @throws ApiError VALIDATION_ERROR, NOT_FOUND; RATE_LIMITED when the quota of the company is used up
 */
export async function changeResource(
  deps: Deps,
  tenant: Tenant,
  family: FamilyDescription,
  id: string,
  given: Fields,
  { quota, actor, traceparent }: Publishing = {},
): Promise<ResourceRecord> {
  const checked = checkRecordChange(family, given)
  return spendQuota(quota, tenant, MOST_EVENTS, async (spare) => {
    const change = async (trx: Knex.Transaction, writeEvents: WriteEvents) => {
      const before = await lockOrRefuse(trx, tenant, family, id)
      const fields = mergeFields(family, before.fields, checked)
      if (changedFields(before.fields, fields).length === 0) return { record: before, published: 0 }
      const revision = before.revision + 1
      const after: ResourceRecord = { ...before, fields, revision, updatedAt: deps.clock() }
      await updateResource(trx, tenant, after)
      const types = family.events(before.fields, fields)
      const events = eventsOf(deps, types, after, { former: before.fields, actor })
      if (events.length > 0) await writeEvents(events)
      return { record: after, published: events.length }
    }
    const { record, published } = await inPublish(deps, tenant, change, { traceparent })
    spare(MOST_EVENTS - published)
    return record
  })
}

/**
 * Deletes a record. The event of the deletion has the record as it was before, and the next revision. The deletion of a task
 * publishes no event.
 *
 * @throws ApiError NOT_FOUND; RATE_LIMITED when the quota of the company is used up
 */
export async function removeResource(
  deps: Deps,
  tenant: Tenant,
  family: FamilyDescription,
  id: string,
  { quota, actor, traceparent }: Publishing = {},
): Promise<void> {
  await spendQuota(quota, tenant, MOST_EVENTS, async (spare) => {
    const removal = async (trx: Knex.Transaction, writeEvents: WriteEvents) => {
      const before = await lockOrRefuse(trx, tenant, family, id)
      await deleteResource(trx, tenant, family.family, id)
      const types = family.events(before.fields, undefined)
      const events = eventsOf(deps, types, before, { revision: before.revision + 1, actor })
      if (events.length > 0) await writeEvents(events)
      await addToResourceCounter(trx, tenant, family.family, -1)
      return events.length
    }
    spare(MOST_EVENTS - (await inPublish(deps, tenant, removal, { traceparent })))
  })
}

type ToldChange = {
  /** Given for a deletion only. Its event needs the next revision, but the record still has the former one. */
  readonly revision?: number
  /** The fields before a change. */
  readonly former?: Fields
  /** Who made the change. */
  readonly actor: Actor | undefined
}

/** Makes events of these types about the record. */
function eventsOf(
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

async function lockOrRefuse(
  trx: Knex.Transaction,
  tenant: Tenant,
  { family, entity }: FamilyDescription,
  id: string,
): Promise<ResourceRecord> {
  const record = isId(entity, id) ? await lockResource(trx, tenant, family, id) : undefined
  return orNotFound(record, titleOf(entity))
}
