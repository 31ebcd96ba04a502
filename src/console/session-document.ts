import type { Context } from 'koa'
import { describeScope, SCOPES } from '../domain/key/scopes.ts'
import { ENVIRONMENTS } from '../domain/tenant.ts'
import { actionsOf, grantableScopes } from '../domain/user/roles.ts'
import { lacksSecondFactor } from '../domain/user/session.ts'
import { recoveryCodesLeft } from '../operations/user/second-factor.ts'
import { presentSession, presentSettings } from '../presenters/console.ts'
import type { Deps } from '../deps/deps.ts'
import { csrfTokenOf } from './csrf.ts'
import type { ConsoleParts } from './endpoint.ts'
import type { SignedIn } from './console-sessions.ts'

/** What the console learns about the user who is signed in, and about the service. */
export async function sessionDocument(
  { deps, addressOf }: ConsoleParts,
  ctx: Context,
  { session, sessionId }: SignedIn,
): Promise<object> {
  const { user, companySuspendedAt } = session
  const signedIn = {
    csrfToken: csrfTokenOf(sessionId),
    address: addressOf(ctx),
    session,
    permissions: lacksSecondFactor(session) ? [] : actionsOf(user.role, companySuspendedAt !== null),
    grantableScopes: grantableScopes(user),
    environments: ENVIRONMENTS,
    recoveryCodesLeft: user.hasSecondFactor ? await recoveryCodesLeft(deps, user.id) : 0,
  }
  return presentSession(signedIn, settingsOf(deps))
}

/** Sets the cookie of a session that has just begun, and gives what the console learns about it. */
export async function showNewSession(parts: ConsoleParts, ctx: Context, sessionId: string): Promise<object> {
  parts.cookies.setSessionId(ctx, sessionId)
  const session = await parts.findSession(sessionId)
  if (!session) throw new Error('a session is gone that has just begun')
  return sessionDocument(parts, ctx, { session, sessionId })
}

const settingsOf = ({ config }: Deps) =>
  presentSettings({
    scopes: SCOPES.map((name) => ({ name, description: describeScope(name) })),
    gracesMs: config.rotationGracesMs,
    retryScheduleMs: config.webhookRetryScheduleMs,
    servicePrefix: config.servicePrefix,
    publicUrl: config.publicUrl,
    temporalUiUrl: config.temporalUiUrl,
    temporalNamespace: config.temporal.namespace,
    sendsMail: config.mailServer !== undefined,
  })
