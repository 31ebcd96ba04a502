import { unlimitedRoom, type MakeRoom } from '../../db/connection/large-values.ts'
import { findFeedHeads } from '../../db/event/feed.ts'
import { listResources as listResourceRows, listResourcesById } from '../../db/event/resource-lists.ts'
import { findResource } from '../../db/event/resource-rows.ts'
import { orNotFound } from '../../domain/errors.ts'
import { copyCursor, readCopyPlace } from '../../domain/event/copy-cursor.ts'
import { feedCursor } from '../../domain/event/feed.ts'
import {
  titleOf,
  type FamilyDescription,
  type ListedRecord,
  type ResourceRecord,
} from '../../domain/event/resources.ts'
import { isId } from '../../domain/ids.ts'
import type { CursorPage, Page, PageRequest } from '../../domain/pagination.ts'
import { tenantKey, type Tenant } from '../../domain/tenant.ts'
import type { Deps } from '../../deps/deps.ts'

/** Finds a record. Foreign, unknown and malformed ids all end the same way. @throws ApiError NOT_FOUND */
export async function getResource(
  { db }: Deps,
  tenant: Tenant,
  { family, entity }: FamilyDescription,
  id: string,
): Promise<ResourceRecord> {
  const record = isId(entity, id) ? await findResource(db, tenant, family, id) : undefined
  return orNotFound(record, titleOf(entity))
}

/** Lists the records of a family, newest first. */
export const listResources = (
  { db }: Deps,
  tenant: Tenant,
  { family }: FamilyDescription,
  page: PageRequest,
  makeRoom: MakeRoom,
): Promise<Page<ListedRecord>> => listResourceRows(db, tenant, family, page, makeRoom)

/**
 * A part of a list that a client copies. If the client then follows the feed after `feedCursor`, it misses no change
 * that has an event.
 */
type CopiedPart = CursorPage<ListedRecord> & { readonly feedCursor: string }

/**
 * Lists the records of a family by cursor, in the order of their ids, so that deletions move nothing.
 *
 * @param makeRoom called before large records are read, with the size of the part's records in bytes
 * @throws ApiError VALIDATION_ERROR for a wrong cursor
 */
export async function copyResources(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  description: FamilyDescription,
  { limit, cursor }: { readonly limit: number; readonly cursor: string },
  makeRoom: MakeRoom = unlimitedRoom,
): Promise<CopiedPart> {
  const from = readCopyPlace(tenant, description, cursor)
  const feedPlace = from?.feedPlace ?? (await findHead(db, tenant))
  const { family } = description
  const { items, next } = await listResourcesById(db, tenant, family, { after: from?.after, limit }, makeRoom)
  const nextCursor = next === undefined ? null : copyCursor(tenant, description, { feedPlace, after: next })
  return { items, limit, nextCursor, feedCursor: feedCursor(tenant, feedPlace) }
}

/*
 * This is why a client that copies a list and then follows the feed misses nothing. One transaction writes a change of
 * a record and the places of its events, even when several tenants share the transaction. The transaction locks the
 * tenant's head before it takes places, and keeps the lock until its commit. So when a client has read the head F,
 * every transaction with a place up to F has committed, and each part that is read afterwards shows the changes of
 * these transactions. If a part does not show a change, the change has a place after F, so the feed shows it. The same
 * is true of a new record that no part shows. If both a part and the feed show a change, its revision is the same.
 *
 * So the head must be read before the first part, and from the same server. It must be the tenant's own: live and test
 * have one each. All later parts keep this head, because records of earlier parts may have changed since.
 */
const findHead = async (db: Deps['db'], tenant: Tenant): Promise<number> =>
  (await findFeedHeads(db, [tenant])).get(tenantKey(tenant)) ?? 0
