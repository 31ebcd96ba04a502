import { ApiRefusal, isRefusal } from './refusal.ts'
import type { One } from './paging.ts'
import type { ChooseCompany, Session, ShownLink, SignIn, SignedIn, UseLink } from './wire.ts'
import { Transport, type Answer, type Call, type TransportOptions } from './transport.ts'
import { texts } from './texts.ts'

/** What the client asks the user for. Each function tells whether the call may be repeated. */
export type Prompts = {
  /** `isWanted`: the user started the call. A read by the page itself does not ask again after the user has refused once. */
  readonly signIn: (isWanted: boolean) => Promise<boolean>
  readonly password: () => Promise<boolean>
}

type Options = TransportOptions & {
  readonly prompts: Prompts
  /** Called with every session document that arrives, so that the screen shows who is signed in. */
  readonly onSession: (session: Session) => void
}

/** Refusals that mean that the page's session document is out of date. */
const STALE_SESSION = ['SECOND_FACTOR_SETUP_REQUIRED', 'INSUFFICIENT_PERMISSIONS']

/**
 * Calls the session API. It keeps the CSRF token. It repeats a call once the obstacle is gone: an old token, a session that
 * ended, or a password that was entered too long ago. So forms need not handle these.
 */
export class ApiClient {
  readonly #options: Options
  readonly #transport: Transport
  #csrfToken: string | undefined
  #userId: string | undefined

  constructor(options: Options) {
    this.#options = options
    this.#transport = new Transport(options)
  }

  /**
   * @param path below /console/api, beginning with a slash
   * @throws ApiRefusal when the api refuses, or the user closes the dialog that asked for a password or a sign-in
   * @throws ConnectionLost when no answer came
   */
  async send<Body>(path: string, call: Call = {}): Promise<Answer<Body>> {
    let hasNewToken = false
    for (;;) {
      try {
        return await this.#once<Body>(path, call)
      } catch (error) {
        if (isRefusal(error, 'CSRF_TOKEN_INVALID') && !hasNewToken) {
          hasNewToken = true
          if (await this.#renewToken()) continue
        }
        const { signIn, password } = this.#options.prompts
        if (isRefusal(error, 'UNAUTHORIZED') && (await signIn(call.method !== undefined))) continue
        if (isRefusal(error, 'REAUTHENTICATION_REQUIRED') && (await password())) continue
        // Since the page was loaded, an admin asked for a second factor or changed the role. The new session document says so.
        if (STALE_SESSION.some((code) => isRefusal(error, code))) await this.session()
        throw error
      }
    }
  }

  /**
   * The token is out of date, because somebody signed in or out in another tab.
   *
   * @returns whether the call may be repeated
   * @throws ApiRefusal when somebody else signed in
   */
  async #renewToken(): Promise<boolean> {
    const session = await this.#readSession()
    this.#csrfToken = session.csrf_token
    // The screen is not told, because it would show the sign-in page, and the user would lose what is typed.
    if (session.state === 'signed_out') return this.#options.prompts.signIn(true)
    const isSame = this.#isSameUser(session)
    this.#keep(session)
    if (isSame) return true
    throw otherUser(session)
  }

  /** Reads the session document: who is signed in. It also holds the token that all changes need. */
  async session(): Promise<Session> {
    return this.#keep(await this.#readSession())
  }

  /** Asks whether the service answers. `onConnection` gets the result. */
  async ping(): Promise<void> {
    await this.#readSession().catch(() => undefined)
  }

  /** Signs in. The answer may instead list several companies, one of which the user must choose. */
  async signIn(body: SignIn): Promise<SignedIn | ChooseCompany> {
    const call = { method: 'POST', body } as const
    const answer = await this.#withToken<One<SignedIn | ChooseCompany>>('/session', call, () => undefined)
    const { data } = answer.body
    if (data.state === 'signed_in') this.#keep(data)
    return data
  }

  /** Reads what a link is for. This needs no session. */
  async showLink(token: string): Promise<ShownLink> {
    const call = { method: 'POST', body: { token } } as const
    return (await this.#withToken<One<ShownLink>>('/link', call, () => undefined)).body.data
  }

  /** Uses up a link. After that its user is signed in. */
  async useLink(body: UseLink): Promise<void> {
    const call = { method: 'POST', body } as const
    const answer = await this.#withToken<One<SignedIn>>('/link/use', call, () => undefined)
    this.#userId = undefined
    this.#keep(answer.body.data)
  }

  /** Ends the session. It is no error if the session has ended already. */
  async signOut(): Promise<void> {
    await this.#withToken('/session', { method: 'DELETE' }, () => undefined)
    await this.session()
  }

  /** Confirms the password. For the next ten minutes the session may then do what requires it. */
  async reauthenticate(password: string): Promise<void> {
    await this.#withToken('/session/reauthenticate', { method: 'POST', body: { password } }, (session) => {
      if (session.state === 'signed_in' && !this.#isSameUser(session)) throw otherUser(session)
    })
  }

  /** Changes the user's own password. The session and the token change too. */
  async changePassword(body: { current_password: string; new_password: string }): Promise<void> {
    const answer = await this.send<One<SignedIn>>('/password', { method: 'PUT', body })
    this.#keep(answer.body.data)
  }

  #keep<Kept extends Session>(session: Kept): Kept {
    this.#csrfToken = session.csrf_token
    if (session.state === 'signed_in') this.#userId = session.user.id
    this.#options.onSession(session)
    return session
  }

  /**
   * Repeats a call once with a new token. Asks the user nothing, because the dialogs that ask use it themselves.
   *
   * @param check throws if the call must not be made in this session
   */
  async #withToken<Body>(path: string, call: Call, check: (session: Session) => void): Promise<Answer<Body>> {
    try {
      return await this.#once<Body>(path, call)
    } catch (error) {
      if (!isRefusal(error, 'CSRF_TOKEN_INVALID')) throw error
      const session = await this.#readSession()
      check(session)
      this.#csrfToken = session.csrf_token
      return this.#once<Body>(path, call)
    }
  }

  #isSameUser({ user }: SignedIn): boolean {
    return this.#userId === undefined || this.#userId === user.id
  }

  async #readSession(): Promise<Session> {
    const { body } = await this.#once<One<Session>>('/session', {})
    return body.data
  }

  #once<Body>(path: string, call: Call): Promise<Answer<Body>> {
    return this.#transport.ask<Body>(path, call, this.#csrfToken)
  }
}

/** What one user typed must not be sent in the name of another user. */
const otherUser = ({ user }: SignedIn): ApiRefusal =>
  new ApiRefusal({
    status: 401,
    code: 'OTHER_USER',
    message: texts.otherUser({ email: user.email }),
    requestId: null,
    retryAfterSeconds: null,
  })
