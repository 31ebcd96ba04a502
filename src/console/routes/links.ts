import { endSession } from '../../operations/sessions/session.ts'
import { hashToken } from '../../domain/user/session.ts'
import { refuseStrangersIfFull } from '../../operations/user/password-hash.ts'
import { presentLink } from '../../presenters/console.ts'
import { endpoint, signInOriginOf, type AddressEndpoint, type ConsoleParts } from '../endpoint.ts'
import { linkBody, useLinkBody } from '../schemas.ts'
import { shownLink, signedIn } from '../user-answers.ts'
import { showNewSession } from '../session-document.ts'
import { traceLink } from '../trace.ts'

const PATH = '/console/api/link'

/** What a person does who has an invitation or a link for a new password, and is not signed in. */
export function linkRoutes(parts: ConsoleParts): AddressEndpoint[] {
  const { deps, cookies, sessions, throttle, addressOf } = parts

  // A POST, so that the token stands in no URL and no log.
  const show = endpoint('POST', PATH, { body: linkBody, answer: shownLink }, async (ctx, readBody) => {
    parts.checkCsrf(ctx, [cookies.beforeSignIn(ctx), cookies.sessionId(ctx)])
    const { token } = await readBody()
    return presentLink(
      await traceLink(parts, ctx, () => sessions.countUnknown(ctx, () => parts.showLink(token))),
    )
  })

  const use = endpoint(
    'POST',
    `${PATH}/use`,
    { body: useLinkBody, answer: signedIn },
    async (ctx, readBody) => {
      parts.checkCsrf(ctx, [cookies.beforeSignIn(ctx), cookies.sessionId(ctx)])
      const input = await readBody()
      const sessionId = await traceLink(parts, ctx, () => {
        refuseStrangersIfFull()
        // Emails that are tried count for the link, whichever they are.
        const account = `link ${hashToken(input.token).toString('base64')}`
        return throttle.ofStranger(account, addressOf(ctx), () =>
          sessions.countUnknown(ctx, () => parts.useLink(input, signInOriginOf(parts, ctx))),
        )
      })
      const former = await sessions.findFormer(ctx)
      if (former) await endSession(deps, former.session)
      return showNewSession(parts, ctx, sessionId)
    },
  )

  return [show, use]
}
