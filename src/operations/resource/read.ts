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

/** A part of a list that a client copies. If it then follows the feed after `feedCursor`, it misses no change that has an event. */
type CopiedPart = CursorPage<ListedRecord> & { readonly feedCursor: string }

/**
 * Lists the records of a family by cursor, in the order of their ids, so that deletions move nothing.
 *
 * @param makeRoom called with the bytes of large records before they are read
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
 * Why a copy and the feed after its place miss nothing. A change of a record and the places of its events are one transaction, also
 * when publishes of several tenants share it. That transaction locks the tenant's head before it takes places, and until its
 * commit. So whoever reads the head F knows that every transaction with a place up to F has committed: each part that is
 * read afterwards shows its changes. A change that some part does not show has a place after F, and the feed tells it. This goes
 * for a record that is created after the place of the copy, too. A change that both tell has the same revision in both.
 *
 * So the head is read before the first part, from the same server, and is the tenant's own: live and test have one each. All
 * later parts keep it, because records of earlier parts have changed since.
 */
const findHead = async (db: Deps['db'], tenant: Tenant): Promise<number> =>
  (await findFeedHeads(db, [tenant])).get(tenantKey(tenant)) ?? 0
