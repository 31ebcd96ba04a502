import type { User, UserRole } from '../domain/user.js'
import type { Db } from './connection/connection.js'

/** Inserts a member. The database refuses it as a duplicate when a member of the company has the same email. */
export async function insertUser(trx: Db, user: User): Promise<void> {
  await trx('users').insert({
    id: user.id,
    company_id: user.companyId,
    email: user.email,
    active_email: user.email,
    name: user.name,
    password_hash: user.passwordHash,
    role: user.role,
    created_at: user.createdAt,
  })
}

/** A member as a list shows it. */
export type Member = Pick<User, 'id' | 'email' | 'name' | 'role' | 'createdAt'>

/** Members of the company in the order of their emails, those behind `after` only. */
export async function listMembers(
  db: Db,
  companyId: string,
  { limit, after }: { limit: number; after: string },
): Promise<Member[]> {
  const rows = await db('users')
    .where({ company_id: companyId })
    .andWhere('active_email', '>', after)
    .orderBy('active_email')
    .limit(limit)
    .select<{ id: string; email: string; name: string; role: UserRole; created_at: Date }[]>(
      ...['id', 'email', 'name', 'role', 'created_at'],
    )
  return rows.map(({ created_at, ...member }) => ({ ...member, createdAt: created_at }))
}

/** Whether the user is a member of the company. Locks the membership until the transaction ends. */
export async function lockMembership(trx: Db, companyId: string, id: string): Promise<boolean> {
  const row = await trx('users')
    .where({ id, company_id: companyId, left_at: null })
    .forShare()
    .first<{ id: string } | undefined>('id')
  return row !== undefined
}

/** Ends a membership and frees its email, so that a new member may have it. Gives false if there was no membership. */
export async function markUserLeft(trx: Db, companyId: string, id: string, now: Date): Promise<boolean> {
  const changed = await trx('users')
    .where({ id, company_id: companyId, left_at: null })
    .update({ left_at: now, active_email: null })
  return changed === 1
}
