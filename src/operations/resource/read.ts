import type { MakeRoom } from '../../db/connection/large-values.ts'
import { findResource, listResources as listResourceRows } from '../../db/event/resource-rows.ts'
import { notFound } from '../../domain/errors.ts'
import {
  titleOf,
  type FamilyDescription,
  type ListedRecord,
  type ResourceRecord,
} from '../../domain/event/resources.ts'
import { isId } from '../../domain/ids.ts'
import type { Page, PageRequest } from '../../domain/pagination.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Deps } from '../../deps/deps.ts'

/**
 * Finds a record. Foreign, unknown and malformed ids all end the same way.
 *
 * @throws ApiError NOT_FOUND
 */
export async function getResource(
  { db }: Deps,
  tenant: Tenant,
  { family, entity }: FamilyDescription,
  id: string,
): Promise<ResourceRecord> {
  const record = isId(entity, id) ? await findResource(db, tenant, family, id) : undefined
  if (!record) throw notFound(titleOf(entity))
  return record
}

/**
 * Lists the records of a family, newest first.
 *
 * @param makeRoom called with the bytes of large records before they are read
 */
export const listResources = (
  { db }: Deps,
  tenant: Tenant,
  { family }: FamilyDescription,
  page: PageRequest,
  makeRoom: MakeRoom,
): Promise<Page<ListedRecord>> => listResourceRows(db, tenant, family, page, makeRoom)
