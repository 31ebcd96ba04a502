import type { SystemDeps } from '../deps/deps.ts'
import type { Actor } from '../domain/actor.ts'
import { createFindSession, type FindSession } from '../operations/sessions/session.ts'
import { signIn, type Credentials, type SignIn } from '../operations/sessions/sign-in.ts'
import { PasswordThrottle } from './throttle.ts'

/** What the sign-in does before it knows a tenant. No other part of the console may span tenants. */
export type SignInParts = {
  readonly findSession: FindSession
  /** @throws ApiError as signIn of the operations */
  readonly signIn: (credentials: Credentials, from: Omit<Actor, 'id'>) => Promise<SignIn>
  readonly throttle: PasswordThrottle
}

export const createSignInParts = (deps: SystemDeps): SignInParts => ({
  findSession: createFindSession(deps),
  signIn: (credentials, from) => signIn(deps, credentials, from),
  throttle: new PasswordThrottle(deps),
})
