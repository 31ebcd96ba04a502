import type { Knex } from 'knex'
import { inTransaction } from '../../db/connection/connection.js'
import { addToResourceCounter } from '../../db/event/resource-counters.js'
import { deleteResource, insertResource, lockResource, updateResource } from '../../db/event/resources.js'
import type { Deps } from '../../process/deps.js'
import { notFound } from '../../domain/errors.js'
import type { StoredEvent } from '../../domain/event/event.js'
import type { EventType } from '../../domain/event/types.js'
import { newId } from '../../domain/ids.js'
import {
  changedFields,
  mergeFields,
  newFields,
  titleOf,
  type FamilyDescription,
  type Fields,
  type ResourceRecord,
} from '../../domain/event/resources.js'
import { checkNewRecord, checkRecordChange } from '../../domain/event/resource-fields.js'
import type { Tenant } from '../../domain/tenant.js'
import { presentResource } from '../../presenters/resources.js'
import { keepAnswer, type AnswerToKeep } from '../idempotency.js'
import { createEvents, writeEvents } from '../event/publish.js'
import type { SharedPublishes } from '../event/shared-publishes.js'

type CreateOptions = {
  /** Lets creations share transactions with publishes. Without it each has its own. */
  readonly shared?: SharedPublishes
  readonly kept?: AnswerToKeep<ResourceRecord>
}

/**
 * Creates a record and publishes its events in one transaction.
 *
 * @throws ApiError VALIDATION_ERROR
 */
export async function createResource(
  deps: Deps,
  tenant: Tenant,
  family: FamilyDescription,
  given: Fields,
  { shared, kept }: CreateOptions = {},
): Promise<ResourceRecord> {
  const now = deps.clock()
  const record: ResourceRecord = {
    id: newId(family.entity),
    family: family.family,
    fields: newFields(family, checkNewRecord(family, given)),
    createdAt: now,
    updatedAt: now,
  }
  const events = eventsOf(deps, family.events(undefined, record.fields), record)
  if (shared && !kept?.hold && (await shared.publish(tenant, events, record))) return record
  await inTransaction(deps.db, async (trx) => {
    await insertResource(trx, tenant, record)
    await writeEvents(trx, tenant, events)
    await addToResourceCounter(trx, tenant, family.family, 1)
    await keepAnswer(trx, kept, record)
  })
  deps.doorbell.ring()
  return record
}

/**
 * Changes the given fields. If the values are the same as before, it writes nothing and publishes nothing.
 *
 * @throws ApiError VALIDATION_ERROR, NOT_FOUND
 */
export async function changeResource(
  deps: Deps,
  tenant: Tenant,
  family: FamilyDescription,
  id: string,
  given: Fields,
): Promise<ResourceRecord> {
  const checked = checkRecordChange(family, given)
  const changed = await inTransaction(deps.db, async (trx) => {
    const before = await lockOrRefuse(trx, tenant, family, id)
    const fields = mergeFields(family, before.fields, checked)
    if (changedFields(before.fields, fields).length === 0) return before
    const after: ResourceRecord = { ...before, fields, updatedAt: deps.clock() }
    await updateResource(trx, tenant, after)
    await publishChange(deps, trx, tenant, family.events(before.fields, fields), after)
    return after
  })
  deps.doorbell.ring()
  return changed
}

/**
 * Deletes a record. The event of the deletion has the record as it was before; a task has no such event.
 *
 * @throws ApiError NOT_FOUND
 */
export async function removeResource(
  deps: Deps,
  tenant: Tenant,
  family: FamilyDescription,
  id: string,
): Promise<void> {
  await inTransaction(deps.db, async (trx) => {
    const before = await lockOrRefuse(trx, tenant, family, id)
    await deleteResource(trx, tenant, family.family, id)
    await publishChange(deps, trx, tenant, family.events(before.fields, undefined), before)
    await addToResourceCounter(trx, tenant, family.family, -1)
  })
  deps.doorbell.ring()
}

async function lockOrRefuse(
  trx: Knex.Transaction,
  tenant: Tenant,
  { family, entity }: FamilyDescription,
  id: string,
): Promise<ResourceRecord> {
  const record = await lockResource(trx, tenant, family, id)
  if (!record) throw notFound(titleOf(entity))
  return record
}

async function publishChange(
  deps: Deps,
  trx: Knex.Transaction,
  tenant: Tenant,
  types: readonly EventType[],
  record: ResourceRecord,
): Promise<void> {
  if (types.length > 0) await writeEvents(trx, tenant, eventsOf(deps, types, record))
}

function eventsOf(deps: Deps, types: readonly EventType[], record: ResourceRecord): StoredEvent[] {
  const data = presentResource(record)
  return createEvents(
    deps,
    types.map((type) => ({ type, data })),
  )
}
