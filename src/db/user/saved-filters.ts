import type { FilteredPage, SavedFilter } from '../../domain/user/saved-filter.ts'
import type { Db } from '../connection/connection.ts'

type SavedFilterRow = {
  id: string
  company_id: string
  user_id: string
  page: FilteredPage
  name: string
  query: string
  created_at: Date
}

const ofUser = (db: Db, companyId: string, userId: string) =>
  db<SavedFilterRow>('saved_filters').where({ company_id: companyId, user_id: userId })

/** The filters of a user, sorted by page and name. There are at most SAVED_FILTERS_AT_MOST. */
export const listSavedFilters = (db: Db, companyId: string, userId: string): Promise<SavedFilter[]> =>
  ofUser(db, companyId, userId)
    .orderBy(['page', 'name'])
    .select<SavedFilter[]>('id', 'page', 'name', 'query', 'created_at as createdAt')

/** Inserts a filter. @throws the duplicate error if the user has a filter of that name on the page */
export async function insertSavedFilter(
  trx: Db,
  companyId: string,
  userId: string,
  { id, page, name, query, createdAt }: SavedFilter,
): Promise<void> {
  const owner = { company_id: companyId, user_id: userId }
  await trx<SavedFilterRow>('saved_filters').insert({
    id,
    ...owner,
    page,
    name,
    query,
    created_at: createdAt,
  })
}

/** Renames a filter. @throws the duplicate error, like insertSavedFilter */
export async function renameSavedFilter(
  db: Db,
  companyId: string,
  userId: string,
  { id, name }: Pick<SavedFilter, 'id' | 'name'>,
): Promise<void> {
  await ofUser(db, companyId, userId).where({ id }).update({ name })
}

/** Deletes one filter of the user. Without an id it deletes all filters of the user. */
export async function deleteSavedFilters(
  db: Db,
  companyId: string,
  userId: string,
  id?: string,
): Promise<void> {
  await ofUser(db, companyId, userId)
    .where(id === undefined ? {} : { id })
    .delete()
}
