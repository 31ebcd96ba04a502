import type { Context } from 'koa'
import {
  changePassword,
  endOtherSessions,
  endOwnSession,
  listOwnSessions,
} from '../../operations/sessions/session.ts'
import {
  beginTotp,
  confirmTotp,
  removeTotp,
  renewRecoveryCodes,
} from '../../operations/user/second-factor.ts'
import { presentOwnSession } from '../../presenters/console.ts'
import {
  addressRoute,
  originOf,
  signInOriginOf,
  type AddressRoute,
  type ConsoleParts,
} from '../address-route.ts'
import {
  endedSessions,
  ownSessions,
  recoveryCodes,
  signedIn,
  totpRemoved,
  totpSecret,
} from '../user-answers.ts'
import { changePasswordBody, codeBody } from '../schemas.ts'
import { showNewSession } from '../session-document.ts'
import { requirePassword } from '../console-sessions.ts'
import { tracePassword } from '../trace.ts'

const SESSIONS = '/sessions'

/** Lets users change their own password and second factor, see their sessions, and end other sessions. */
export function accountRoutes(parts: ConsoleParts): AddressRoute[] {
  const { deps, sessions, throttle } = parts

  /** Reads session, actor and body of a request. Everything except ending a session needs a recent password. */
  async function admit<Body>(ctx: Context, read: () => Promise<Body>, { needsPassword = true } = {}) {
    const { session } = await sessions.require(ctx)
    if (needsPassword) requirePassword(session)
    return { session, actor: { id: session.user.id, ...originOf(parts, ctx) }, body: await read() }
  }

  const password = addressRoute(
    'PUT',
    '/password',
    { body: changePasswordBody, answer: signedIn },
    async (ctx, read) => {
      const { session } = await sessions.require(ctx)
      const body = await read()
      const passwords = { current: body.current_password, wanted: body.new_password }
      const sessionId = await tracePassword(parts, ctx, session.user.id, () =>
        throttle.ofSession(session, () =>
          changePassword(deps, session, { id: session.user.id, ...signInOriginOf(parts, ctx) }, passwords),
        ),
      )
      return showNewSession(parts, ctx, sessionId)
    },
  )

  const begin = addressRoute('POST', '/totp', { answer: totpSecret }, async (ctx, read) => {
    const { session } = await admit(ctx, read)
    const { secret, url } = await beginTotp(deps, session.user)
    return { secret, otpauth_url: url }
  })

  const confirm = addressRoute(
    'POST',
    '/totp/confirm',
    { body: codeBody, answer: recoveryCodes },
    async (ctx, read) => {
      const { session, actor, body } = await admit(ctx, read)
      return { recovery_codes: await confirmTotp(deps, actor, session, body.code) }
    },
  )

  const renew = addressRoute('POST', '/totp/recovery-codes', { answer: recoveryCodes }, async (ctx, read) => {
    const { session, actor } = await admit(ctx, read)
    return { recovery_codes: await renewRecoveryCodes(deps, actor, session.user) }
  })

  const remove = addressRoute('DELETE', '/totp', { answer: totpRemoved }, async (ctx, read) => {
    const { session, actor } = await admit(ctx, read)
    await removeTotp(deps, actor, session)
    return { totp_enabled: false }
  })

  const listSessions = addressRoute('GET', SESSIONS, { answer: ownSessions }, async (ctx) => {
    const { session } = await sessions.require(ctx)
    const found = await listOwnSessions(deps, session.user)
    return { sessions: found.map((own) => presentOwnSession(own, session)) }
  })

  const endOne = addressRoute(
    'DELETE',
    `${SESSIONS}/:sessionId`,
    { answer: endedSessions },
    async (ctx, read) => {
      const { session, actor } = await admit(ctx, read, { needsPassword: false })
      const { sessionId = '' } = (ctx as unknown as { params: Record<string, string> }).params
      await endOwnSession(deps, actor, session, Buffer.from(sessionId, 'base64url'))
      return { ended: 1 }
    },
  )

  const endOthers = addressRoute('DELETE', SESSIONS, { answer: endedSessions }, async (ctx, read) => {
    const { session, actor } = await admit(ctx, read, { needsPassword: false })
    return { ended: await endOtherSessions(deps, actor, session) }
  })

  return [password, begin, confirm, renew, remove, listSessions, endOne, endOthers]
}
