import { isId } from '../ids.ts'
import { listCursor, listFingerprint, readListCursor } from '../list-cursor.ts'
import { tenantKey, type Tenant } from '../tenant.ts'
import { invalid } from '../errors.ts'
import type { FamilyDescription } from './resources.ts'

/** The cursor for the first part of a copy. */
export const FIRST_PART = 'start'

/**
 * How far a list was copied: the id of the last record, and the place in the feed after which the reader continues when the
 * copy is complete.
 */
type CopyPlace = { readonly feedPlace: number; readonly after: string }

const fingerprintOf = (tenant: Tenant, { family }: FamilyDescription): string =>
  listFingerprint('copy', tenantKey(tenant), family)

/** The cursor for the next part of a copy. */
export const copyCursor = (
  tenant: Tenant,
  family: FamilyDescription,
  { feedPlace, after }: CopyPlace,
): string => listCursor(fingerprintOf(tenant, family), String(feedPlace), after)

/**
 * Reads a cursor, and returns the place where its part begins; undefined for the first part.
 *
 * @throws ApiError VALIDATION_ERROR for a cursor of another tenant or family, and for a text that is not a cursor
 */
export function readCopyPlace(
  tenant: Tenant,
  family: FamilyDescription,
  cursor: string,
): CopyPlace | undefined {
  if (cursor === FIRST_PART) return undefined
  const [ofList, place = '', after = ''] = readListCursor(cursor, 3) ?? []
  if (ofList === fingerprintOf(tenant, family) && /^\d{1,15}$/.test(place) && isId(family.entity, after))
    return { feedPlace: Number(place), after }
  throw invalid(
    `"cursor" is not one of this list and environment: send ${FIRST_PART} for the first part, then next_cursor of the part before.`,
  )
}
