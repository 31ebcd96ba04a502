import type { Knex } from 'knex'
import { inTransaction } from '../../db/connection/connection.ts'
import { addToResourceCounter } from '../../db/event/resource-counters.ts'
import { deleteResource, lockResource, updateResource } from '../../db/event/resource-rows.ts'
import type { Deps } from '../../deps/deps.ts'
import { notFound } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import type { EventType } from '../../domain/event/types.ts'
import {
  changedFields,
  mergeFields,
  titleOf,
  type FamilyDescription,
  type Fields,
  type ResourceRecord,
} from '../../domain/event/resources.ts'
import { checkRecordChange } from '../../domain/event/resource-fields.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { writeEvents } from '../event/publish.ts'
import { spendQuota, type PublishQuota } from '../event/publish-quota.ts'
import { eventsOf } from './create.ts'

/** Events that one change of a record publishes at most: of a deal one for its stage and one for its other fields. */
const MOST_EVENTS = 2

type ChangeOptions = {
  /** The company's events per minute. Without it the events count nowhere. */
  readonly quota?: PublishQuota
}

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
  { quota }: ChangeOptions = {},
): Promise<ResourceRecord> {
  const checked = checkRecordChange(family, given)
  const changed = await spendQuota(quota, tenant, MOST_EVENTS, async (spare) => {
    const { record, published } = await inTransaction(deps.db, async (trx) => {
      const before = await lockOrRefuse(trx, tenant, family, id)
      const fields = mergeFields(family, before.fields, checked)
      if (changedFields(before.fields, fields).length === 0) return { record: before, published: 0 }
      const after: ResourceRecord = { ...before, fields, updatedAt: deps.clock() }
      await updateResource(trx, tenant, after)
      const types = family.events(before.fields, fields)
      return { record: after, published: await publishChange(deps, trx, tenant, types, after) }
    })
    spare(MOST_EVENTS - published)
    return record
  })
  deps.doorbell.ring()
  return changed
}

/**
 * Deletes a record. The event of the deletion has the record as it was before; a task has no such event.
 *
 * @throws ApiError NOT_FOUND; RATE_LIMITED when the quota of the company is used up
 */
export async function removeResource(
  deps: Deps,
  tenant: Tenant,
  family: FamilyDescription,
  id: string,
  { quota }: ChangeOptions = {},
): Promise<void> {
  await spendQuota(quota, tenant, MOST_EVENTS, async (spare) => {
    const published = await inTransaction(deps.db, async (trx) => {
      const before = await lockOrRefuse(trx, tenant, family, id)
      await deleteResource(trx, tenant, family.family, id)
      const types = family.events(before.fields, undefined)
      const events = await publishChange(deps, trx, tenant, types, before)
      await addToResourceCounter(trx, tenant, family.family, -1)
      return events
    })
    spare(MOST_EVENTS - published)
  })
  deps.doorbell.ring()
}

async function lockOrRefuse(
  trx: Knex.Transaction,
  tenant: Tenant,
  { family, entity }: FamilyDescription,
  id: string,
): Promise<ResourceRecord> {
  const record = isId(entity, id) ? await lockResource(trx, tenant, family, id) : undefined
  if (!record) throw notFound(titleOf(entity))
  return record
}

/** Publishes the events of a change. @returns how many they are */
async function publishChange(
  deps: Deps,
  trx: Knex.Transaction,
  tenant: Tenant,
  types: readonly EventType[],
  record: ResourceRecord,
): Promise<number> {
  if (types.length > 0) await writeEvents(trx, tenant, eventsOf(deps, types, record))
  return types.length
}
