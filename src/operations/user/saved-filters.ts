import { inTransaction } from '../../db/connection/connection.ts'
import { isDuplicate } from '../../db/connection/errors.ts'
import {
  deleteSavedFilters,
  insertSavedFilter,
  listSavedFilters,
  renameSavedFilter,
} from '../../db/user/saved-filters.ts'
import { lockUser } from '../../db/user/users.ts'
import { conflict, orNotFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { SAVED_FILTERS_AT_MOST, type SavedFilter } from '../../domain/user/saved-filter.ts'
import type { Deps } from '../../deps/deps.ts'

/** The user who has the filters. Nobody else sees them. */
type Owner = { readonly companyId: string; readonly userId: string }

/** The filter of the user. @throws ApiError NOT_FOUND */
export async function getSavedFilter(
  { db }: Pick<Deps, 'db'>,
  { companyId, userId }: Owner,
  id: string,
): Promise<SavedFilter> {
  const found = (await listSavedFilters(db, companyId, userId)).find((filter) => filter.id === id)
  return orNotFound(found, 'Saved filter')
}

/** All filters of the user, ordered by page and name. */
export const listFilters = ({ db }: Pick<Deps, 'db'>, { companyId, userId }: Owner): Promise<SavedFilter[]> =>
  listSavedFilters(db, companyId, userId)

/**
 * Saves a filter. It locks the user, so that parallel requests of the user cannot exceed the limit.
 *
 * @throws ApiError CONFLICT when the user already has this name or SAVED_FILTERS_AT_MOST filters on the page
 */
export async function saveFilter(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { companyId, userId }: Owner,
  fields: Pick<SavedFilter, 'page' | 'name' | 'query'>,
): Promise<SavedFilter> {
  const filter = { ...fields, id: newId('savedFilter'), createdAt: clock() }
  await refuseRepeatedName(() =>
    inTransaction(db, async (trx) => {
      await lockUser(trx, companyId, userId)
      const kept = await listSavedFilters(trx, companyId, userId)
      if (kept.filter(({ page }) => page === fields.page).length >= SAVED_FILTERS_AT_MOST)
        throw conflict(`You have ${SAVED_FILTERS_AT_MOST} filters for this page: delete one first.`)
      await insertSavedFilter(trx, companyId, userId, filter)
    }),
  )
  return filter
}

/** Renames a filter. @throws ApiError CONFLICT for a name that the user has on the page */
export async function renameFilter(
  { db }: Pick<Deps, 'db'>,
  { companyId, userId }: Owner,
  filter: SavedFilter,
  name: string,
): Promise<SavedFilter> {
  await refuseRepeatedName(() => renameSavedFilter(db, companyId, userId, { id: filter.id, name }))
  return { ...filter, name }
}

export const deleteFilter = (
  { db }: Pick<Deps, 'db'>,
  { companyId, userId }: Owner,
  { id }: SavedFilter,
): Promise<void> => deleteSavedFilters(db, companyId, userId, id)

async function refuseRepeatedName(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isDuplicate(error)) throw error
    throw conflict('You have a filter of this name for this page.', error)
  }
}
