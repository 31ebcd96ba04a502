import type { Context } from 'koa'
import { ApiError } from '../domain/errors.ts'
import { refusalOfSignIn, type SignInOutcome } from '../domain/user/sign-in.ts'
import type { SignIn } from '../operations/sessions/sign-in.ts'
import { originOf, type ConsoleParts } from './address-route.ts'

/**
 * Runs a sign-in, counts its outcome, and logs a refusal. The log line contains nothing that was typed, not even the email,
 * because people type their password there by mistake (decisions: Traces of sign-ins).
 */
export async function traceSignIn(
  parts: ConsoleParts,
  ctx: Context,
  signIn: () => Promise<SignIn>,
): Promise<SignIn> {
  const { signIns } = parts.deps.metrics
  try {
    const result = await signIn()
    signIns.inc({ outcome: result.kind })
    return result
  } catch (error) {
    const { outcome, userIds } = traceOf(error)
    signIns.inc({ outcome })
    // Every sign-in with a second factor comes here once, before the code is sent.
    if (outcome !== 'code_missing')
      writeRefusal(parts, ctx, 'sign-in refused', { reason: outcome, user_ids: userIds })
    throw error
  }
}

/** Checks the password of a signed-in user, and logs a refusal. */
export async function tracePassword<T>(
  parts: ConsoleParts,
  ctx: Context,
  userId: string,
  check: () => Promise<T>,
): Promise<T> {
  try {
    return await check()
  } catch (error) {
    const { outcome } = traceOf(error)
    if (outcome !== 'fault')
      writeRefusal(parts, ctx, 'password refused', { reason: outcome, user_ids: [userId] })
    throw error
  }
}

/** Shows or uses a link, and logs a refusal with its reason, but without the token or the email. */
export async function traceLink<T>(parts: ConsoleParts, ctx: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const reason = refusalOfSignIn(error)?.reason ?? (error instanceof ApiError ? error.code : 'fault')
    writeRefusal(parts, ctx, 'link refused', { reason })
    throw error
  }
}

/** RATE_LIMITED without a cause means that too many passwords are being checked at once. */
function traceOf(error: unknown): { outcome: SignInOutcome; userIds: readonly string[] } {
  const refusal = refusalOfSignIn(error)
  if (refusal) return { outcome: refusal.reason, userIds: refusal.userIds }
  const isLimited = error instanceof ApiError && error.code === 'RATE_LIMITED'
  return { outcome: isLimited ? 'throttled' : 'fault', userIds: [] }
}

function writeRefusal(parts: ConsoleParts, ctx: Context, what: string, facts: object): void {
  const { ip, requestId } = originOf(parts, ctx)
  parts.deps.log.info({ request_id: requestId, address: ip, ...facts }, what)
}
