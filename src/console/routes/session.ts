import { endSession, reauthenticate } from '../../operations/sessions/session.ts'
import type { Credentials } from '../../operations/sessions/sign-in.ts'
import { refuseStrangersIfFull } from '../../operations/user/password-hash.ts'
import { presentCompanyChoice, presentSignedOut } from '../../presenters/console.ts'
import { reauthenticated, sessionSchema, signedOutNow, signInResult } from '../user-answers.ts'
import { csrfTokenOf } from '../csrf.ts'
import { endpoint, signInOriginOf, type AddressEndpoint, type ConsoleParts } from '../endpoint.ts'
import { passwordBody, signInBody } from '../schemas.ts'
import { tracePassword, traceSignIn } from '../trace.ts'
import { sessionDocument, showNewSession } from '../session-document.ts'

const PATH = '/console/api/session'

/** Sign in, sign out, who is signed in, and the password once more. */
export function sessionRoutes(parts: ConsoleParts): AddressEndpoint[] {
  const { deps, cookies, sessions, throttle, addressOf } = parts

  const show = endpoint('GET', PATH, { answer: sessionSchema }, async (ctx) => {
    const signedIn = await sessions.find(ctx)
    if (signedIn) return sessionDocument(parts, ctx, signedIn)
    return presentSignedOut(csrfTokenOf(cookies.keepBeforeSignIn(ctx)), addressOf(ctx))
  })

  const begin = endpoint('POST', PATH, { body: signInBody, answer: signInResult }, async (ctx, readBody) => {
    parts.checkCsrf(ctx, [cookies.beforeSignIn(ctx), cookies.sessionId(ctx)])
    const { company_id: companyId, ...body } = await readBody()
    const credentials: Credentials = { ...body, ...(companyId !== undefined && { companyId }) }
    const result = await traceSignIn(parts, ctx, async () => {
      // Refuse before reading the database, because a flood may come from many addresses.
      refuseStrangersIfFull()
      return throttle.ofStranger(body.email, addressOf(ctx), () =>
        parts.signIn(credentials, signInOriginOf(parts, ctx)),
      )
    })
    if (result.kind === 'choose_company') return presentCompanyChoice(result.companies)
    const former = await sessions.findFormer(ctx)
    if (former) await endSession(deps, former.session)
    return showNewSession(parts, ctx, result.sessionId)
  })

  const end = endpoint('DELETE', PATH, { answer: signedOutNow }, async (ctx, readBody) => {
    await readBody()
    const signedIn = await sessions.findToEnd(ctx)
    if (signedIn) {
      parts.checkCsrf(ctx, [signedIn.sessionId])
      await endSession(deps, signedIn.session)
    }
    cookies.dropSessionId(ctx)
    return { signed_out: true }
  })

  const again = endpoint(
    'POST',
    `${PATH}/reauthenticate`,
    { body: passwordBody, answer: reauthenticated },
    async (ctx, readBody) => {
      const { session } = await sessions.require(ctx)
      const { password } = await readBody()
      const until = await tracePassword(parts, ctx, session.user.id, () =>
        throttle.ofSession(session, () => reauthenticate(deps, session, password)),
      )
      return { reauthenticated_until: until.toISOString() }
    },
  )

  return [show, begin, end, again]
}
