import type { SystemDeps } from '../deps/deps.ts'
import type { ShownLink } from '../domain/user/access-link.ts'
import { createFindSession, type FindSession } from '../operations/sessions/session.ts'
import { signIn, type Credentials, type SignIn, type SignInOrigin } from '../operations/sessions/sign-in.ts'
import { showLink, useLink, type LinkInput } from '../operations/sessions/use-link.ts'
import { PasswordThrottle } from './throttle.ts'

/** What the sign-in does before it knows a tenant. No other part of the console may span tenants. */
export type SignInParts = {
  readonly findSession: FindSession
  /** @throws ApiError as signIn of the operations */
  readonly signIn: (credentials: Credentials, from: SignInOrigin) => Promise<SignIn>
  /** @throws ApiError as showLink of the operations */
  readonly showLink: (token: string) => Promise<ShownLink>
  /** @throws ApiError as useLink of the operations */
  readonly useLink: (input: LinkInput, from: SignInOrigin) => Promise<string>
  readonly throttle: PasswordThrottle
}

export const createSignInParts = (deps: SystemDeps): SignInParts => ({
  findSession: createFindSession(deps),
  signIn: (credentials, from) => signIn(deps, credentials, from),
  showLink: (token) => showLink(deps, token),
  useLink: (input, from) => useLink(deps, input, from),
  throttle: new PasswordThrottle(deps),
})
