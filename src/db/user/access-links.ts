import type { AccessLink } from '../../domain/user/access-link.ts'
import type { Scope } from '../../domain/key/scopes.ts'
import type { UserRole } from '../../domain/user/user.ts'
import { fromNow } from '../clock.ts'
import type { Db, SystemDb } from '../connection/connection.ts'
import { countRows, sql } from '../connection/statements.ts'
import { olderThan, NEWEST_FIRST } from '../place-statements.ts'
import type { Place } from '../../domain/list-cursor.ts'

type LinkRow = {
  id: string
  company_id: string
  kind: AccessLink['kind']
  email: string
  user_id: string | null
  role: UserRole
  allowed_scopes: string
  token_hash: Buffer
  made_by: string
  mail_id: string | null
  created_at: Date
  expires_at: Date
  ended_as: Exclude<AccessLink['endedAs'], null> | null
  ended_at: Date | null
}

const toLink = (row: LinkRow): AccessLink => ({
  id: row.id,
  companyId: row.company_id,
  kind: row.kind,
  email: row.email,
  userId: row.user_id,
  role: row.role,
  allowedScopes: JSON.parse(row.allowed_scopes) as Scope[],
  madeBy: row.made_by,
  mailId: row.mail_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  endedAs: row.ended_as,
})

const linksOf = (db: Db, companyId: string) => db<LinkRow>('access_links').where({ company_id: companyId })

/** A query for the company's links that were not used, revoked or replaced. */
const openOf = (db: Db, companyId: string) => linksOf(db, companyId).whereNull('ended_at')

export async function insertLink(trx: Db, link: AccessLink, tokenHash: Buffer): Promise<void> {
  await trx<LinkRow>('access_links').insert({
    id: link.id,
    company_id: link.companyId,
    kind: link.kind,
    email: link.email,
    user_id: link.userId,
    role: link.role,
    allowed_scopes: JSON.stringify(link.allowedScopes),
    token_hash: tokenHash,
    made_by: link.madeBy,
    mail_id: link.mailId,
    created_at: link.createdAt,
    expires_at: link.expiresAt,
  })
}

/** The company's open invitations, expired ones included, newest first. With `before`, only older ones. */
export async function listInvitationRows(
  db: Db,
  companyId: string,
  { limit, before }: { readonly limit: number; readonly before?: Place | undefined },
): Promise<AccessLink[]> {
  const place = before ? olderThan(before) : sql`1 = 1`
  const rows = await openOf(db, companyId)
    .where({ kind: 'invitation' })
    .whereRaw(place.sql, place.values)
    .orderBy(NEWEST_FIRST)
    .limit(limit)
    .select<LinkRow[]>('*')
  return rows.map(toLink)
}

/** How many open invitations the company has, expired ones included. */
export const countInvitations = (db: Db, companyId: string): Promise<number> =>
  countRows(openOf(db, companyId).where({ kind: 'invitation' }))

/** How many links the company made within the last `withinMs`, for all emails or for one. Used and ended links count too. */
export const countLinks = (
  db: Db,
  companyId: string,
  withinMs: number,
  of: { readonly email?: string } = {},
): Promise<number> =>
  countRows(linksOf(db, companyId).where(of).where('created_at', '>', fromNow(db, -withinMs)))

/** The company's open invitation that has this id or this email. Its row is locked until the transaction ends. */
export async function lockInvitation(
  trx: Db,
  companyId: string,
  which: Pick<LinkRow, 'id'> | Pick<LinkRow, 'email'>,
): Promise<AccessLink | undefined> {
  const row = await openOf(trx, companyId)
    .where({ kind: 'invitation', ...which })
    .forUpdate()
    .first<LinkRow | undefined>()
  return row && toLink(row)
}

type Which = Partial<Pick<LinkRow, 'id' | 'user_id'>>

/** Ends open links of the company. @returns how many it ended */
export async function endLinks(
  trx: Db,
  companyId: string,
  which: Which,
  as: Exclude<AccessLink['endedAs'], null>,
): Promise<number> {
  return openOf(trx, companyId)
    .where(which)
    .update({ ended_at: trx.raw('NOW(3)') as never, ended_as: as })
}

/**
 * Revokes the open links by which a former admin could still sign somebody in: invitations, and password links that were shown
 * to the admin. A password link that was mailed stays, because only its recipient has it. @returns how many it revoked
 */
export async function endLinksOfMaker(trx: Db, companyId: string, userId: string): Promise<number> {
  return openOf(trx, companyId)
    .where({ made_by: userId })
    .whereRaw("(kind = 'invitation' OR mail_id IS NULL)")
    .update({ ended_at: trx.raw('NOW(3)') as never, ended_as: 'revoked' })
}

/** A link and its company, by the hash of the token. The link may have ended. */
export async function findLinkByToken(
  db: SystemDb,
  tokenHash: Buffer,
): Promise<
  { readonly link: AccessLink; readonly companyName: string; readonly isSuspended: boolean } | undefined
> {
  const row = await db('access_links as l')
    .join('companies as c', 'c.id', 'l.company_id')
    .where('l.token_hash', tokenHash)
    .first<(LinkRow & { company_name: string; suspended_at: Date | null }) | undefined>(
      'l.*',
      'c.name as company_name',
      'c.suspended_at',
    )
  return row && { link: toLink(row), companyName: row.company_name, isSuspended: row.suspended_at !== null }
}
