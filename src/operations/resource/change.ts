import type { Knex } from 'knex'
import { addToResourceCounter } from '../../db/event/resource-counters.ts'
import { deleteResource, lockResource, updateResource } from '../../db/event/resource-rows.ts'
import type { Deps } from '../../deps/deps.ts'
import type { Actor } from '../../domain/actor.ts'
import { orNotFound } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import {
  changedFields,
  mergeFields,
  titleOf,
  type FamilyDescription,
  type Fields,
  type ResourceRecord,
} from '../../domain/event/resources.ts'
import { checkRecordChange } from '../../domain/event/fields.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { inPublish, type WriteEvents } from '../event/write-events.ts'
import { spendQuota, type PublishQuota } from '../event/publish-quota.ts'
import { eventsOf } from './create.ts'

/**
 * How many events one change of a record publishes at most. A deal publishes one for its stage and one for its other
 * fields.
 */
const MOST_EVENTS = 2

type ChangeOptions = {
  /** The company's events per minute. Without it the events count against no quota. */
  readonly quota?: PublishQuota
  /** Who makes the change, and so publishes the events. */
  readonly actor?: Actor
  readonly traceparent?: string | undefined
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
  { quota, actor, traceparent }: ChangeOptions = {},
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
 * Deletes a record. The event of the deletion has the record as it was before, and the revision after it; a task has no
 * such event.
 *
 * @throws ApiError NOT_FOUND; RATE_LIMITED when the quota of the company is used up
 */
export async function removeResource(
  deps: Deps,
  tenant: Tenant,
  family: FamilyDescription,
  id: string,
  { quota, actor, traceparent }: ChangeOptions = {},
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

async function lockOrRefuse(
  trx: Knex.Transaction,
  tenant: Tenant,
  { family, entity }: FamilyDescription,
  id: string,
): Promise<ResourceRecord> {
  const record = isId(entity, id) ? await lockResource(trx, tenant, family, id) : undefined
  return orNotFound(record, titleOf(entity))
}
