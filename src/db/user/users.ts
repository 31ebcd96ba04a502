import type { Knex } from 'knex'
import type { Scope } from '../../domain/key/scopes.ts'
import type { User, UserRole } from '../../domain/user/user.ts'
import type { SessionUser } from '../../domain/user/session.ts'
import type { Db, SystemDb } from '../connection/connection.ts'

/** A row of `users`. */
type UserRow = {
  id: string
  company_id: string
  email: string
  active_email: string | null
  name: string
  password_hash: string
  role: UserRole
  allowed_scopes: string | null
  totp_sealed: string | null
  totp_confirmed_at: Date | null
  totp_last_step: number | null
  totp_failures: number
  totp_locked_at: Date | null
  left_at: Date | null
  created_at: Date
}

/**
 * A user. It also tells whether the sign-in asks for a second factor, and since when wrong codes have locked that
 * factor.
 */
export type StoredUser = User & SessionUser

const readScopes = (text: string | null): Scope[] => (text === null ? [] : (JSON.parse(text) as Scope[]))

/** The columns of a user that a session shows too. */
export type ShownUserRow = Pick<
  UserRow,
  'id' | 'company_id' | 'email' | 'name' | 'role' | 'allowed_scopes' | 'totp_confirmed_at' | 'totp_locked_at'
>

export const toShownUser = (row: ShownUserRow) => ({
  id: row.id,
  companyId: row.company_id,
  email: row.email,
  name: row.name,
  role: row.role,
  allowedScopes: readScopes(row.allowed_scopes),
  hasSecondFactor: row.totp_confirmed_at !== null,
  secondFactorLockedAt: row.totp_locked_at,
})

const toUser = (row: UserRow): StoredUser => ({
  ...toShownUser(row),
  passwordHash: row.password_hash,
  leftAt: row.left_at,
  createdAt: row.created_at,
})

const membersOf = (db: Db, companyId: string) =>
  db<UserRow>('users').where({ company_id: companyId, left_at: null })

async function first(members: Knex.QueryBuilder): Promise<StoredUser | undefined> {
  const row = (await members.first()) as UserRow | undefined
  return row && toUser(row)
}

/** Inserts a member. @throws the duplicate error if a member of the company has the same email */
export async function insertUser(trx: Db, user: User): Promise<void> {
  await trx<UserRow>('users').insert({
    id: user.id,
    company_id: user.companyId,
    email: user.email,
    active_email: user.email,
    name: user.name,
    password_hash: user.passwordHash,
    role: user.role,
    allowed_scopes: JSON.stringify(user.allowedScopes),
    created_at: user.createdAt,
  })
}

/** The member of the company, or undefined. */
export async function findUser(db: Db, companyId: string, id: string): Promise<StoredUser | undefined> {
  return first(membersOf(db, companyId).where({ id }))
}

/** The member of the company with the email, or undefined. */
export async function findMember(db: Db, companyId: string, email: string): Promise<StoredUser | undefined> {
  return first(membersOf(db, companyId).where({ active_email: email }))
}

/** Members of the company in the order of their emails. With `after`, only those after that email. */
export async function listMembers(
  db: Db,
  companyId: string,
  { limit, after }: { limit: number; after: string },
): Promise<StoredUser[]> {
  const rows = await db('users')
    .where({ company_id: companyId })
    .andWhere('active_email', '>', after)
    .orderBy('active_email')
    .limit(limit)
    .select<UserRow[]>('*')
  return rows.map(toUser)
}

/** Whether the user is a member of the company. Locks the membership until the transaction ends. */
export async function lockMembership(trx: Db, companyId: string, id: string): Promise<boolean> {
  return (await lockUserForShare(trx, companyId, id)) !== undefined
}

/** The member. Until the transaction ends the member can neither change nor leave. */
export async function lockUserForShare(
  trx: Db,
  companyId: string,
  id: string,
): Promise<StoredUser | undefined> {
  return first(membersOf(trx, companyId).where({ id }).forShare())
}

/** The member. Until this transaction ends, no other transaction can change the row. */
export async function lockUser(trx: Db, companyId: string, id: string): Promise<StoredUser | undefined> {
  return first(membersOf(trx, companyId).where({ id }).forUpdate())
}

/** The fields that a change of a user may set. Absent fields stay as they are. */
export type UserFields = Partial<Pick<User, 'name' | 'role' | 'allowedScopes' | 'passwordHash'>>

/** Sets the given fields; at least one. */
export async function updateUserRow(
  trx: Db,
  companyId: string,
  id: string,
  fields: UserFields,
): Promise<void> {
  await membersOf(trx, companyId)
    .where({ id })
    .update({
      ...(fields.name !== undefined && { name: fields.name }),
      ...(fields.role !== undefined && { role: fields.role }),
      ...(fields.allowedScopes !== undefined && { allowed_scopes: JSON.stringify(fields.allowedScopes) }),
      ...(fields.passwordHash !== undefined && { password_hash: fields.passwordHash }),
    })
}

/** Replaces a password hash by another hash of the same password, unless it has changed since. */
export async function replacePasswordHash(
  db: Db,
  companyId: string,
  id: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await membersOf(db, companyId).where({ id, password_hash: from }).update({ password_hash: to })
}

/** Ends a membership and frees its email for a new member. Returns false if there was no membership. */
export async function markUserLeft(trx: Db, companyId: string, id: string, now: Date): Promise<boolean> {
  const changed = await membersOf(trx, companyId).where({ id }).update({ left_at: now, active_email: null })
  return changed === 1
}

/** A member of any company, with the data for a sign-in. */
export type Account = StoredUser & { readonly companyName: string }

/** The members with an email, of one company or of all companies, the oldest first. */
export async function listAccounts(
  db: SystemDb,
  { email, companyId, limit }: { email: string; companyId: string | undefined; limit: number },
): Promise<Account[]> {
  const ofCompany = companyId === undefined ? {} : { 'u.company_id': companyId }
  const rows = await db('users AS u')
    .join('companies AS c', 'c.id', 'u.company_id')
    .where({ 'u.active_email': email, 'u.left_at': null, ...ofCompany })
    .orderBy(['u.created_at', 'u.id'])
    .limit(limit)
    .select<(UserRow & { company_name: string })[]>('u.*', 'c.name AS company_name')
  return rows.map((row) => ({ ...toUser(row), companyName: row.company_name }))
}
