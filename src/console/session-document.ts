import type { Context } from 'koa'
import { recoveryCodesLeft } from '../operations/user/second-factor.ts'
import { presentSession } from '../presenters/console.ts'
import { csrfTokenOf } from './csrf.ts'
import type { ConsoleParts } from './address-route.ts'
import type { SignedIn } from './console-sessions.ts'

/** What the console learns about the signed-in user, and about the service. */
export async function sessionDocument(
  { deps, addressOf }: ConsoleParts,
  ctx: Context,
  { session, sessionId }: SignedIn,
): Promise<object> {
  const { user } = session
  const signedIn = {
    session,
    csrfToken: csrfTokenOf(sessionId),
    address: addressOf(ctx),
    recoveryCodesLeft: user.hasSecondFactor ? await recoveryCodesLeft(deps, user.id) : 0,
  }
  return presentSession(signedIn, deps.config)
}

/** Sets the cookie of a session that has just begun, and returns the session document. */
export async function showNewSession(parts: ConsoleParts, ctx: Context, sessionId: string): Promise<object> {
  parts.cookies.setSessionId(ctx, sessionId)
  const session = await parts.findSession(sessionId)
  if (!session) throw new Error('a session is gone that has just begun')
  return sessionDocument(parts, ctx, { session, sessionId })
}
