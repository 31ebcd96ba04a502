import { findUser, listMembers, type StoredUser } from '../../db/user/users.ts'
import { notFound } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import { cursorPage, listCursor, readPlace } from '../../domain/list-cursor.ts'
import type { CursorPage, CursorRequest } from '../../domain/pagination.ts'
import type { Deps } from '../../deps/deps.ts'
import { requireCompany } from '../companies.ts'

/** Members of a company by email. @throws ApiError NOT_FOUND, VALIDATION_ERROR for a wrong cursor */
export async function listUsers(
  { db }: Deps,
  companyId: string,
  request: CursorRequest,
): Promise<CursorPage<StoredUser>> {
  await requireCompany({ db }, companyId)
  const after = readPlace(request, 1, ([email]) => email) ?? ''
  const rows = await listMembers(db, companyId, { limit: request.limit + 1, after })
  return cursorPage(rows, request.limit, ({ email }) => listCursor(email))
}

/** One member of the company. @throws ApiError NOT_FOUND when the user is unknown or has left */
export async function showUser({ db }: Deps, companyId: string, id: string): Promise<StoredUser> {
  const user = isId('user', id) ? await findUser(db, companyId, id) : undefined
  if (!user) throw notFound('User')
  return user
}
