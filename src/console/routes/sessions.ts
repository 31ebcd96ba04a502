import { endOtherSessions, endOwnSession, listOwnSessions } from '../../operations/sessions/session.ts'
import { presentOwnSession } from '../../presenters/console.ts'
import { endpoint, originOf, type AddressEndpoint, type ConsoleParts } from '../endpoint.ts'
import { endedSessions, ownSessions } from '../user-answers.ts'

const PATH = '/console/api/sessions'

/** Lets users see where they are signed in, and end sessions elsewhere. It needs no password: it takes access away. */
export function ownSessionRoutes(parts: ConsoleParts): AddressEndpoint[] {
  const { deps, sessions } = parts

  const list = endpoint('GET', PATH, { answer: ownSessions }, async (ctx) => {
    const { session } = await sessions.require(ctx)
    const found = await listOwnSessions(deps, session.user)
    return { sessions: found.map((own) => presentOwnSession(own, session)) }
  })

  const end = endpoint('DELETE', `${PATH}/:sessionId`, { answer: endedSessions }, async (ctx, readBody) => {
    const { session } = await sessions.require(ctx)
    await readBody()
    const { sessionId = '' } = (ctx as unknown as { params: Record<string, string> }).params
    const actor = { id: session.user.id, ...originOf(parts, ctx) }
    await endOwnSession(deps, actor, session, Buffer.from(sessionId, 'base64url'))
    return { ended: 1 }
  })

  const endOthers = endpoint('DELETE', PATH, { answer: endedSessions }, async (ctx, readBody) => {
    const { session } = await sessions.require(ctx)
    await readBody()
    const actor = { id: session.user.id, ...originOf(parts, ctx) }
    return { ended: await endOtherSessions(deps, actor, session) }
  })

  return [list, end, endOthers]
}
