import { changePassword } from '../../operations/sessions/session.ts'
import {
  beginTotp,
  confirmTotp,
  removeTotp,
  renewRecoveryCodes,
} from '../../operations/user/second-factor.ts'
import type { Context } from 'koa'
import type { Actor } from '../../domain/actor.ts'
import type { Session } from '../../domain/user/session.ts'
import { endpoint, originOf, signInOriginOf, type AddressEndpoint, type ConsoleParts } from '../endpoint.ts'
import { recoveryCodes, signedIn, totpRemoved, totpSecret } from '../session-answers.ts'
import { changePasswordBody, codeBody } from '../schemas.ts'
import { showNewSession } from '../session-document.ts'
import { requirePassword } from '../console-sessions.ts'
import { tracePassword } from '../trace.ts'

/** Lets users change their own password and second factor. */
export function accountRoutes(parts: ConsoleParts): AddressEndpoint[] {
  const { deps, sessions, throttle } = parts

  const actorOf = (ctx: Context, { user }: Session): Actor => ({ id: user.id, ...originOf(parts, ctx) })

  /** The session of a request that changes the second factor. Its user must have given the password lately. */
  async function requireSession(ctx: Context): Promise<Session> {
    const { session } = await sessions.require(ctx)
    requirePassword(session)
    return session
  }

  const password = endpoint(
    'PUT',
    '/console/api/password',
    { body: changePasswordBody, answer: signedIn },
    async (ctx, readBody) => {
      const { session } = await sessions.require(ctx)
      const body = await readBody()
      const passwords = { current: body.current_password, wanted: body.new_password }
      const sessionId = await tracePassword(parts, ctx, session.user.id, () =>
        throttle.ofSession(session, () =>
          changePassword(deps, session, { id: session.user.id, ...signInOriginOf(parts, ctx) }, passwords),
        ),
      )
      return showNewSession(parts, ctx, sessionId)
    },
  )

  const begin = endpoint('POST', '/console/api/totp', { answer: totpSecret }, async (ctx, readBody) => {
    const session = await requireSession(ctx)
    await readBody()
    const { secret, url } = await beginTotp(deps, session.user)
    return { secret, otpauth_url: url }
  })

  const confirm = endpoint(
    'POST',
    '/console/api/totp/confirm',
    { body: codeBody, answer: recoveryCodes },
    async (ctx, readBody) => {
      const session = await requireSession(ctx)
      const { code } = await readBody()
      return { recovery_codes: await confirmTotp(deps, actorOf(ctx, session), session, code) }
    },
  )

  const renew = endpoint(
    'POST',
    '/console/api/totp/recovery-codes',
    { answer: recoveryCodes },
    async (ctx, readBody) => {
      const session = await requireSession(ctx)
      await readBody()
      return { recovery_codes: await renewRecoveryCodes(deps, actorOf(ctx, session), session.user) }
    },
  )

  const remove = endpoint('DELETE', '/console/api/totp', { answer: totpRemoved }, async (ctx, readBody) => {
    const session = await requireSession(ctx)
    await readBody()
    await removeTotp(deps, actorOf(ctx, session), session)
    return { totp_enabled: false }
  })

  return [password, begin, confirm, renew, remove]
}
