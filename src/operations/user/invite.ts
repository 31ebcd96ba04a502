import { auditAs, listNamesOf } from '../audit.ts'
import { inTransaction, type Db } from '../../db/connection/connection.ts'
import { countInvitations, endLinks, listInvitationRows, lockInvitation } from '../../db/user/access-links.ts'
import { findMember } from '../../db/user/users.ts'
import { databaseNow } from '../../db/clock.ts'
import { listMailStates } from '../../db/mail/mails.ts'
import type { Actor } from '../../domain/actor.ts'
import { conflict, orNotFound } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import { cursorPage, listCursor, readMoment, readPlace } from '../../domain/list-cursor.ts'
import type { CursorPage, CursorRequest } from '../../domain/pagination.ts'
import { OPEN_INVITATIONS, type IssuedLink, type ShownInvitation } from '../../domain/user/access-link.ts'
import { checkAllowedScopes } from '../../domain/user/roles.ts'
import { checkEmail, type UserRole } from '../../domain/user/user.ts'
import type { Deps } from '../../deps/deps.ts'
import { lockCompanyOrRefuse } from '../companies.ts'
import { keepAnswer, type AnswerToKeep } from '../idempotency.ts'
import { requireRole } from './authority.ts'
import { issueLink } from './issue-link.ts'

export type InvitationInput = {
  readonly email: string
  readonly role: UserRole
  /** The write scopes that a member may give to keys of their own; by default none. */
  readonly allowedScopes?: readonly string[]
}

/**
 * Invites somebody to the company, by mail if a mail server is set. Whoever opens the link chooses name and password.
 *
 * @throws ApiError VALIDATION_ERROR; CONFLICT when the email is invited or a member has it, or when the company has
 *   OPEN_INVITATIONS already; RATE_LIMITED; INSUFFICIENT_PERMISSIONS
 */
export async function inviteUser(
  deps: Deps,
  companyId: string,
  actor: Actor,
  input: InvitationInput,
  kept?: AnswerToKeep<IssuedLink>,
): Promise<IssuedLink> {
  const email = checkEmail(input.email)
  const allowedScopes = input.role === 'member' ? checkAllowedScopes(input.allowedScopes ?? []) : []
  return inTransaction(deps.db, async (trx) => {
    await requireRole(trx, companyId, actor, 'users.create')
    const company = await lockCompanyOrRefuse(trx, companyId)
    if (await findMember(trx, companyId, email)) throw conflict('A member of the company has this email.')
    await endExpired(trx, companyId, email)
    if ((await countInvitations(trx, companyId)) >= OPEN_INVITATIONS) {
      throw conflict(
        `A company may have ${OPEN_INVITATIONS} open invitations: withdraw some that nobody used.`,
      )
    }
    const invitation = { kind: 'invitation' as const, email, userId: null, role: input.role, allowedScopes }
    const issued = await issueLink(deps, trx, company, actor, invitation)
    const { id, createdAt } = issued.link
    const scopes = allowedScopes.length > 0 && { allowed_scopes: allowedScopes }
    const details = { email, role: input.role, ...scopes }
    await auditAs({ companyId }, actor)(trx, 'invitation.create', id, createdAt, details)
    return keepAnswer(trx, kept, issued)
  })
}

/** Ends the invitation of the email if it has expired. @throws ApiError CONFLICT while it still works */
async function endExpired(trx: Db, companyId: string, email: string) {
  const former = await lockInvitation(trx, companyId, { email })
  if (!former) return
  if (former.expiresAt > (await databaseNow(trx)))
    throw conflict('This email is invited already: send that invitation again, or withdraw it.')
  await endLinks(trx, companyId, { id: former.id }, 'replaced')
}

/** Open invitations, also expired ones, newest first. @throws ApiError VALIDATION_ERROR for a wrong cursor */
export async function listInvitations(
  { db }: Deps,
  companyId: string,
  request: CursorRequest,
): Promise<CursorPage<ShownInvitation>> {
  const before = readPlace(request, 2, ([moment, id = '']) => {
    const createdAt = readMoment(moment)
    return createdAt && isId('accessLink', id) ? { createdAt, id } : undefined
  })
  const rows = await listInvitationRows(db, companyId, { limit: request.limit + 1, before })
  const now = await databaseNow(db)
  const mailIds = rows.flatMap(({ mailId }) => mailId ?? [])
  const mails = await listMailStates(db, companyId, mailIds)
  const makerIds = rows.map(({ madeBy }) => madeBy)
  const names = await listNamesOf({ db }, companyId, makerIds)
  const shown = rows.map((link) => ({
    link,
    madeByName: names.get(link.madeBy) ?? null,
    isExpired: link.expiresAt <= now,
    mail: mails.get(link.mailId ?? '') ?? null,
  }))
  return cursorPage(shown, request.limit, ({ link }) => listCursor(link.createdAt.toISOString(), link.id))
}

/**
 * Makes a new link for an invitation. The former link no longer works.
 *
 * @throws ApiError NOT_FOUND for one that was used or withdrawn, RATE_LIMITED, INSUFFICIENT_PERMISSIONS
 */
export async function resendInvitation(
  deps: Deps,
  companyId: string,
  actor: Actor,
  id: string,
): Promise<IssuedLink> {
  return inTransaction(deps.db, async (trx) => {
    await requireRole(trx, companyId, actor, 'users.create')
    const company = await lockCompanyOrRefuse(trx, companyId)
    const former = await lockOrRefuse(trx, companyId, id)
    await endLinks(trx, companyId, { id }, 'replaced')
    const issued = await issueLink(deps, trx, company, actor, former)
    const { id: linkId, createdAt, email } = issued.link
    await auditAs({ companyId }, actor)(trx, 'invitation.resend', linkId, createdAt, { email, replaces: id })
    return issued
  })
}

/** Withdraws an invitation. @throws ApiError NOT_FOUND for one that was used or withdrawn, INSUFFICIENT_PERMISSIONS */
export async function revokeInvitation(
  { db }: Deps,
  companyId: string,
  actor: Actor,
  id: string,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    await requireRole(trx, companyId, actor, 'users.remove')
    const { email } = await lockOrRefuse(trx, companyId, id)
    await endLinks(trx, companyId, { id }, 'revoked')
    await auditAs({ companyId }, actor)(trx, 'invitation.revoke', id, await databaseNow(trx), { email })
  })
}

const lockOrRefuse = async (trx: Db, companyId: string, id: string) =>
  orNotFound(isId('accessLink', id) ? await lockInvitation(trx, companyId, { id }) : undefined, 'Invitation')
