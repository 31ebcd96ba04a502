import { ApiRefusal, isRefusal } from './refusal.ts'
import type { One } from './paging.ts'
import type { ChooseCompany, Session, ShownLink, SignIn, SignedIn, UseLink } from './wire.ts'
import { Transport, type Answer, type Call, type TransportOptions } from './transport.ts'
import { texts } from './texts.ts'

/** What the client asks of the person at the screen. Each gives whether the call may be repeated. */
export type Prompts = {
  /** `isWanted`: the person did something. What the page reads by itself does not ask again after a no. */
  readonly signIn: (isWanted: boolean) => Promise<boolean>
  readonly password: () => Promise<boolean>
}

type Options = TransportOptions & {
  readonly prompts: Prompts
  /** Told of every session document that comes, so that the screen shows who is signed in. */
  readonly onSession: (session: Session) => void
}

/** Refusals that the screen could have told, had it known the session as it is now. */
const STALE_SESSION = ['SECOND_FACTOR_SETUP_REQUIRED', 'INSUFFICIENT_PERMISSIONS']

/**
 * Calls the session API. It keeps the CSRF token, and repeats a call once its obstacle is gone: a token that is out of date,
 * a session that ended, a password that was given too long ago. So no form has to know about these.
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
   * @throws ApiRefusal when the api refuses, or the person closes the dialog that would have helped
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
        // An admin asks for it, or changed the role, since the page was loaded: the session document says so.
        if (STALE_SESSION.some((code) => isRefusal(error, code))) await this.session()
        throw error
      }
    }
  }

  /**
   * The token changed, because somebody signed in or out in another tab.
   *
   * @returns whether the call may be repeated
   * @throws ApiRefusal when somebody else signed in
   */
  async #renewToken(): Promise<boolean> {
    const session = await this.#readSession()
    this.#csrfToken = session.csrf_token
    // The screen is not told: it would show the sign-in page, and what was typed would be lost.
    if (session.state === 'signed_out') return this.#options.prompts.signIn(true)
    const isSame = this.#isSameUser(session)
    this.#keep(session)
    if (isSame) return true
    throw otherUser(session)
  }

  /** Who is signed in. Also fetches the token that all changes need. */
  async session(): Promise<Session> {
    return this.#keep(await this.#readSession())
  }

  /** Asks whether the service answers. onConnection tells the answer. */
  async ping(): Promise<void> {
    await this.#readSession().catch(() => undefined)
  }

  /** Signs in. The answer may ask for one of several companies instead. */
  async signIn(body: SignIn): Promise<SignedIn | ChooseCompany> {
    const call = { method: 'POST', body } as const
    const answer = await this.#withToken<One<SignedIn | ChooseCompany>>('/session', call, () => undefined)
    const { data } = answer.body
    if (data.state === 'signed_in') this.#keep(data)
    return data
  }

  /** What a link is for, before anybody signed in. */
  async showLink(token: string): Promise<ShownLink> {
    const call = { method: 'POST', body: { token } } as const
    return (await this.#withToken<One<ShownLink>>('/link', call, () => undefined)).body.data
  }

  /** Uses a link up: afterwards its user is signed in. */
  async useLink(body: UseLink): Promise<void> {
    const call = { method: 'POST', body } as const
    const answer = await this.#withToken<One<SignedIn>>('/link/use', call, () => undefined)
    this.#userId = undefined
    this.#keep(answer.body.data)
  }

  /** Ends the session. It may have ended already. */
  async signOut(): Promise<void> {
    await this.#withToken('/session', { method: 'DELETE' }, () => undefined)
    await this.session()
  }

  /** Gives the password again, so that the next ten minutes allow what needs it. */
  async reauthenticate(password: string): Promise<void> {
    await this.#withToken('/session/reauthenticate', { method: 'POST', body: { password } }, (session) => {
      if (session.state === 'signed_in' && !this.#isSameUser(session)) throw otherUser(session)
    })
  }

  /** Changes the own password. The token and the session change with it. */
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
   * Repeats once with a new token, and asks nobody for anything: for what the dialogs themselves call.
   *
   * @param check throws when nothing may be done in this session
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

/** What one person typed must not be done in the name of another. */
const otherUser = ({ user }: SignedIn): ApiRefusal =>
  new ApiRefusal({
    status: 401,
    code: 'OTHER_USER',
    message: texts.otherUser({ email: user.email }),
    requestId: null,
    retryAfterSeconds: null,
  })
