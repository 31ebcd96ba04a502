import type { Knex } from 'knex'
import { auditAs } from '../audit.ts'
import { databaseNow } from '../../db/clock.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import { isDuplicate } from '../../db/connection/errors.ts'
import { endLinks, findLinkByToken } from '../../db/user/access-links.ts'
import { deleteSessionsOfUser, insertSession } from '../../db/user/sessions.ts'
import { insertUser, lockUser, updateUserRow } from '../../db/user/users.ts'
import { conflict, invalidRequest, ApiError, orNotFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { checkName } from '../../domain/key/fields.ts'
import { maskedEmail } from '../../domain/mail/mail.ts'
import { whyLinkEnded, type ShownLink } from '../../domain/user/access-link.ts'
import { hashToken, isToken, newToken } from '../../domain/user/session.ts'
import { SignInRefusal } from '../../domain/user/sign-in.ts'
import { normalEmail } from '../../domain/user/user.ts'
import type { SystemDeps } from '../../deps/deps.ts'
import { hashNewPassword } from '../user/password-hash.ts'
import type { SignInOrigin } from './sign-in.ts'

/** What a person enters to use a link. `name`: for an invitation only. */
export type LinkInput = {
  readonly token: string
  readonly email: string
  readonly password: string
  readonly name?: string
}

const unknownLink = () =>
  new ApiError('NOT_FOUND', 'This link is not valid. Open the whole link, or ask an admin for a new one.')

async function findOpenLink({ db }: Pick<SystemDeps, 'db'>, token: string) {
  const found = isToken(token) ? await findLinkByToken(db, hashToken(token)) : undefined
  if (!found) throw unknownLink()
  const { link, isSuspended } = found
  const why = whyLinkEnded(link, await databaseNow(db))
  if (why !== undefined) throw invalidRequest(why)
  if (isSuspended) throw invalidRequest('The company is suspended: use the link once it is resumed.')
  return found
}

/** Shows a link. @throws ApiError NOT_FOUND for an unknown one, INVALID_REQUEST that says why it does not work any more */
export async function showLink(deps: Pick<SystemDeps, 'db'>, token: string): Promise<ShownLink> {
  const { link, companyName } = await findOpenLink(deps, token)
  return { kind: link.kind, companyName, maskedEmail: maskedEmail(link.email), expiresAt: link.expiresAt }
}

/**
 * Uses a link, which works only once. Makes the user whom it invites, or sets the user's password. Then begins a
 * session. Only the company's own rows are read, so nothing shows whether the email has accounts elsewhere.
 *
 * @param from the address, the request and the browser
 * @returns the id of the new session
 * @throws ApiError as showLink; INVALID_CREDENTIALS for another email; VALIDATION_ERROR for a name or a password; CONFLICT when
 *   the person is a member already
 */
export async function useLink(
  deps: SystemDeps,
  { token, email, ...input }: LinkInput,
  from: SignInOrigin,
): Promise<string> {
  const { link } = await findOpenLink(deps, token)
  if (normalEmail(email) !== link.email) {
    throw new ApiError(
      'INVALID_CREDENTIALS',
      'This link was made for another email address. If it was forwarded to you, ask an admin for one of your own.',
      { cause: new SignInRefusal('other_email', link.userId === null ? [] : [link.userId]) },
    )
  }
  const name = link.kind === 'invitation' ? checkName(input.name ?? '') : undefined
  const passwordHash = await hashNewPassword(input.password, 'password', 'strangers')
  const sessionId = newToken()
  const { companyId } = link
  const userId = link.userId ?? newId('user')
  try {
    await inTransaction(deps.db, async (trx) => {
      const now = await databaseNow(trx)
      // Lock the user before the link: removeUser locks in the same order, so the two cannot deadlock.
      if (link.userId !== null) await setPassword(trx, companyId, link.userId, passwordHash)
      // Of several requests that use the link at once, only one finds it open.
      if ((await endLinks(trx, companyId, { id: link.id }, 'used')) === 0)
        throw invalidRequest(whyLinkEnded({ ...link, endedAs: 'used' }, now) ?? '')
      if (name !== undefined) {
        const { email: own, role, allowedScopes } = link
        const user = { id: userId, companyId, email: own, name, passwordHash, role, allowedScopes }
        await insertUser(trx, { ...user, leftAt: null, createdAt: now })
      }
      const audit = auditAs({ companyId }, { id: userId, ...from })
      if (link.kind === 'invitation')
        await audit(trx, 'invitation.accept', userId, now, { invitation: link.id, role: link.role })
      else await audit(trx, 'user.set_password', userId, now)
      await insertSession(trx, { idHash: hashToken(sessionId), companyId, userId, now, device: from })
    })
  } catch (error) {
    if (!isDuplicate(error)) throw error
    throw conflict('You are a member of the company already: sign in.', error)
  }
  return sessionId
}

/** @throws ApiError NOT_FOUND when the user has left */
async function setPassword(trx: Knex.Transaction, companyId: string, id: string, passwordHash: string) {
  orNotFound(await lockUser(trx, companyId, id), 'User')
  await updateUserRow(trx, companyId, id, { passwordHash })
  await deleteSessionsOfUser(trx, companyId, id)
}
