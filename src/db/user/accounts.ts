import type { SystemDb } from '../connection/connection.ts'
import { toUser, type StoredUser, type UserRow } from './users.ts'

/** A member of any company who may sign in. */
export type Account = StoredUser & { readonly companyName: string }

/** The members with an email, which may be of several companies, the oldest first. */
export async function listAccounts(
  db: SystemDb,
  { email, companyId, limit }: { email: string; companyId: string | undefined; limit: number },
): Promise<Account[]> {
  const query = db('users AS u')
    .join('companies AS c', 'c.id', 'u.company_id')
    .where('u.active_email', email)
    .whereNull('u.left_at')
    .orderBy(['u.created_at', 'u.id'])
    .limit(limit)
  const rows = await (companyId === undefined ? query : query.where('u.company_id', companyId)).select<
    (UserRow & { company_name: string })[]
  >('u.*', 'c.name AS company_name')
  return rows.map((row) => ({ ...toUser(row), companyName: row.company_name }))
}
