import type { Context } from 'koa'
import { endSession, reauthenticate } from '../../operations/sessions/session.ts'
import type { Credentials } from '../../operations/sessions/sign-in.ts'
import { hashToken } from '../../domain/user/session.ts'
import { refuseStrangersIfFull } from '../../operations/user/password-hash.ts'
import { presentCompanyChoice, presentLink, presentSignedOut } from '../../presenters/console.ts'
import {
  reauthenticated,
  sessionSchema,
  shownLink,
  signedIn,
  signedOutNow,
  signInResult,
} from '../user-answers.ts'
import { csrfTokenOf } from '../csrf.ts'
import { addressRoute, signInOriginOf, type AddressRoute, type ConsoleParts } from '../address-route.ts'
import { linkBody, passwordBody, signInBody, useLinkBody } from '../schemas.ts'
import { traceLink, tracePassword, traceSignIn } from '../trace.ts'
import { sessionDocument, showNewSession } from '../session-document.ts'

const PATH = '/session'
const LINK = '/link'

/**
 * Signs in and out, reads the session, and confirms the password. Also lets somebody without a session use an
 * invitation, or a link for a new password.
 */
export function sessionRoutes(parts: ConsoleParts): AddressRoute[] {
  const { deps, cookies, sessions, throttle, addressOf } = parts

  const checkPage = (ctx: Context): void =>
    parts.checkCsrf(ctx, [cookies.beforeSignIn(ctx), cookies.sessionId(ctx)])

  /** Ends the former session of the browser, and sets the cookie of the new one. */
  async function replaceSession(ctx: Context, sessionId: string): Promise<object> {
    const former = await sessions.findFormer(ctx)
    if (former) await endSession(deps, former.session)
    return showNewSession(parts, ctx, sessionId)
  }

  const show = addressRoute('GET', PATH, { answer: sessionSchema }, async (ctx) => {
    const signedIn = await sessions.find(ctx)
    if (signedIn) return sessionDocument(parts, ctx, signedIn)
    return presentSignedOut(csrfTokenOf(cookies.keepBeforeSignIn(ctx)), addressOf(ctx))
  })

  const begin = addressRoute('POST', PATH, { body: signInBody, answer: signInResult }, async (ctx, read) => {
    checkPage(ctx)
    const { company_id: companyId, ...body } = await read()
    const credentials: Credentials = { ...body, ...(companyId !== undefined && { companyId }) }
    const result = await traceSignIn(parts, ctx, async () => {
      // Refuses strangers before the database is read, because a flood may come from many addresses.
      refuseStrangersIfFull()
      return throttle.ofStranger(body.email, addressOf(ctx), () =>
        parts.signIn(credentials, signInOriginOf(parts, ctx)),
      )
    })
    if (result.kind === 'choose_company') return presentCompanyChoice(result.companies)
    return replaceSession(ctx, result.sessionId)
  })

  const end = addressRoute('DELETE', PATH, { answer: signedOutNow }, async (ctx, read) => {
    await read()
    const signedIn = await sessions.findToEnd(ctx)
    if (signedIn) {
      parts.checkCsrf(ctx, [signedIn.sessionId])
      await endSession(deps, signedIn.session)
    }
    cookies.dropSessionId(ctx)
    return { signed_out: true }
  })

  const again = addressRoute(
    'POST',
    `${PATH}/reauthenticate`,
    { body: passwordBody, answer: reauthenticated },
    async (ctx, read) => {
      const { session } = await sessions.require(ctx)
      const { password } = await read()
      const until = await tracePassword(parts, ctx, session.user.id, () =>
        throttle.ofSession(session, () => reauthenticate(deps, session, password)),
      )
      return { reauthenticated_until: until.toISOString() }
    },
  )

  // A POST, so that the token is in no URL and no log.
  const showLink = addressRoute('POST', LINK, { body: linkBody, answer: shownLink }, async (ctx, read) => {
    checkPage(ctx)
    const { token } = await read()
    const show = () => sessions.countUnknown(ctx, () => parts.showLink(token))
    return presentLink(await traceLink(parts, ctx, show))
  })

  const useLink = addressRoute(
    'POST',
    `${LINK}/use`,
    { body: useLinkBody, answer: signedIn },
    async (ctx, read) => {
      checkPage(ctx)
      const input = await read()
      const sessionId = await traceLink(parts, ctx, () => {
        refuseStrangersIfFull()
        // The tries are counted for each link, whatever email they name.
        const account = `link ${hashToken(input.token).toString('base64')}`
        return throttle.ofStranger(account, addressOf(ctx), () =>
          sessions.countUnknown(ctx, () => parts.useLink(input, signInOriginOf(parts, ctx))),
        )
      })
      return replaceSession(ctx, sessionId)
    },
  )

  return [show, begin, end, again, showLink, useLink]
}
