import { changePassword } from '../../operations/sessions/session.ts'
import {
  beginTotp,
  confirmTotp,
  removeTotp,
  renewRecoveryCodes,
} from '../../operations/user/second-factor.ts'
import type { Context } from 'koa'
import { endpoint, originOf, signInOriginOf, type AddressEndpoint, type ConsoleParts } from '../endpoint.ts'
import { recoveryCodes, signedIn, totpRemoved, totpSecret } from '../user-answers.ts'
import { changePasswordBody, codeBody } from '../schemas.ts'
import { showNewSession } from '../session-document.ts'
import { requirePassword } from '../console-sessions.ts'
import { tracePassword } from '../trace.ts'

/** Lets users change their own password and second factor. */
export function accountRoutes(parts: ConsoleParts): AddressEndpoint[] {
  const { deps, sessions, throttle } = parts

  /** A request that changes the second factor. Its user must have given the password lately. */
  async function admit<Body>(ctx: Context, readBody: () => Promise<Body>) {
    const { session } = await sessions.require(ctx)
    requirePassword(session)
    return { session, actor: { id: session.user.id, ...originOf(parts, ctx) }, body: await readBody() }
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
    const { session } = await admit(ctx, readBody)
    const { secret, url } = await beginTotp(deps, session.user)
    return { secret, otpauth_url: url }
  })

  const confirm = endpoint(
    'POST',
    '/console/api/totp/confirm',
    { body: codeBody, answer: recoveryCodes },
    async (ctx, readBody) => {
      const { session, actor, body } = await admit(ctx, readBody)
      return { recovery_codes: await confirmTotp(deps, actor, session, body.code) }
    },
  )

  const renew = endpoint(
    'POST',
    '/console/api/totp/recovery-codes',
    { answer: recoveryCodes },
    async (ctx, readBody) => {
      const { session, actor } = await admit(ctx, readBody)
      return { recovery_codes: await renewRecoveryCodes(deps, actor, session.user) }
    },
  )

  const remove = endpoint('DELETE', '/console/api/totp', { answer: totpRemoved }, async (ctx, readBody) => {
    const { session, actor } = await admit(ctx, readBody)
    await removeTotp(deps, actor, session)
    return { totp_enabled: false }
  })

  return [password, begin, confirm, renew, remove]
}
