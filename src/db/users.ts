import type { Db } from './connection/connection.js'

export const USER_ROLES = ['admin', 'member'] as const

export type UserRole = (typeof USER_ROLES)[number]

/** A person of a company, with the argon2id hash of the password. */
export type User = {
  readonly id: string
  readonly companyId: string
  readonly email: string
  readonly name: string
  readonly passwordHash: string
  readonly role: UserRole
  readonly leftAt: Date | null
  readonly createdAt: Date
}

/** Inserts a member. A second member of the company with the email raises the duplicate error. */
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

/** The company of a user who has not left, for operators who name a user by the id alone. */
export async function findUserCompany(db: Db, id: string): Promise<string | undefined> {
  const row = await db('users')
    .where({ id, left_at: null })
    .first<{ company_id: string } | undefined>('company_id')
  return row?.company_id
}

/** Whether the user is a member of the company, holding the membership until the transaction ends. */
export async function lockMembership(trx: Db, companyId: string, id: string): Promise<boolean> {
  const row = await trx('users')
    .where({ id, company_id: companyId, left_at: null })
    .forShare()
    .first<{ id: string } | undefined>('id')
  return row !== undefined
}

/** Ends a membership and frees its email for somebody who comes back. Gives whether there was one. */
export async function markUserLeft(trx: Db, companyId: string, id: string, now: Date): Promise<boolean> {
  const changed = await trx('users')
    .where({ id, company_id: companyId, left_at: null })
    .update({ left_at: now, active_email: null })
  return changed === 1
}
