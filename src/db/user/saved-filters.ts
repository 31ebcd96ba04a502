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

/** The filters of a user, by page and name. SAVED_FILTERS_AT_MOST limits how many there are. */
export const listSavedFilters = (db: Db, companyId: string, userId: string): Promise<SavedFilter[]> =>
  ofUser(db, companyId, userId)
    .orderBy(['page', 'name'])
    .select<SavedFilter[]>('id', 'page', 'name', 'query', 'created_at as createdAt')

/** Inserts a filter. The database refuses it as a duplicate when the user has one of that name on the page. */
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

/** Renames a filter. The database refuses a duplicate, as insertSavedFilter says. */
export async function renameSavedFilter(
  db: Db,
  companyId: string,
  userId: string,
  { id, name }: Pick<SavedFilter, 'id' | 'name'>,
): Promise<void> {
  await ofUser(db, companyId, userId).where({ id }).update({ name })
}

/** Deletes one filter of the user, or all without an id. */
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
