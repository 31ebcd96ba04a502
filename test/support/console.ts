import { createCompany } from '../../src/operations/companies.ts'
import { insertUser } from '../../src/db/user/users.ts'
import { COMMAND_LINE } from '../../src/domain/actor.ts'
import { newId } from '../../src/domain/ids.ts'
import type { Scope } from '../../src/domain/key/scopes.ts'
import type { UserRole } from '../../src/domain/user/user.ts'
import { hashNewPassword } from '../../src/operations/user/password-hash.ts'
import type { SystemDeps } from '../../src/deps/deps.ts'
import { expectConsoleDescribed } from './contract.ts'
import { stackDeps } from './database.ts'
import type { ApiAnswer, Json, TestTenant } from './tenants.ts'
import { createContact, createTestTenant, verdictOf } from './tenants.ts'
import { useStack } from './use-stack.ts'
import type { DeliveryRow } from '../../src/db/delivery/rows.ts'
import { insertOpenDeliveries } from './many-rows.ts'
import { untilThere } from './poll.ts'

export { verdictOf }

export const PASSWORD = 'correct horse battery'
/** The password hash of all users, because making one takes 30 ms of a core. */
let passwordHash: Promise<string> | undefined

/** A client that acts as a browser of the console: it keeps cookies and sends the CSRF token and its origin. */
export class ConsoleClient {
  readonly url: string
  readonly #cookies = new Map<string, string>()
  csrfToken = ''
  companyId = ''

  constructor(url: string) {
    this.url = url
  }

  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(this.#cookies.size > 0 && { cookie: this.cookieHeader }),
        ...(method !== 'GET' && { 'X-CSRF-Token': this.csrfToken, Origin: this.url }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    const read: Json = isJson ? JSON.parse(text) : text
    const token = read?.data?.csrf_token as unknown
    if (typeof token === 'string') this.csrfToken = token
    const answer = { status: response.status, headers: response.headers, body: read }
    await expectConsoleDescribed(path, method, answer)
    return answer
  }

  /** Calls a path below the company's path. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer> {
    return this.request(method, this.at(path), body, headers)
  }

  /** Returns the result of such a call, as `200` or `403 CSRF_TOKEN_INVALID`. */
  async verdict(...call: Parameters<ConsoleClient['call']>): Promise<string> {
    return verdictOf(await this.call(...call))
  }

  at(path: string, environment = 'live'): string {
    return `/console/api/companies/${this.companyId}/${environment}${path}`
  }

  session(): Promise<ApiAnswer> {
    return this.request('GET', '/console/api/session')
  }

  /** Loads the sign-in page's token and sends the credentials. */
  async signIn(email: string, password = PASSWORD, more: object = {}): Promise<ApiAnswer> {
    await this.session()
    const answer = await this.request('POST', '/console/api/session', { email, password, ...more })
    this.companyId = answer.body?.data?.company?.id ?? ''
    return answer
  }

  get cookieHeader(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name)
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value)
  }

  #keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (value === '') this.#cookies.delete(name)
    else this.#cookies.set(name, value)
  }
}

/** A user who is signed in. */
export type Person = { readonly id: string; readonly email: string; readonly client: ConsoleClient }

type Options = { readonly companyId?: string; readonly allowedScopes?: Scope[] }

export type ConsoleInUse = ReturnType<typeof useConsole>

/** The console of a running api, with an empty company for each test. */
export function useConsole(options?: Parameters<typeof useStack>[0]) {
  const use = useStack(options)
  let deps: SystemDeps
  let companyId: string
  let users = 0
  before(() => void (deps = stackDeps(use.stack)))
  beforeEach(async () => {
    companyId = (await createCompany(deps, COMMAND_LINE, { name: 'Test company' })).id
  })
  const user = async (role: UserRole = 'admin', given: Options = {}) => {
    const email = `person${++users}.${Date.now()}@example.com`
    const id = newId('user')
    const person = { id, companyId, email, name: `Person ${users}`, role, allowedScopes: [], ...given }
    const hashed = { passwordHash: await (passwordHash ??= hashNewPassword(PASSWORD)) }
    await insertUser(use.stack.db, { ...person, ...hashed, leftAt: null, createdAt: new Date() })
    return { id, email }
  }
  const client = () => new ConsoleClient(use.stack.api.url)
  return {
    get stack() {
      return use.stack
    },
    get deps() {
      return deps
    },
    /** A company of its own for each test. */
    get companyId() {
      return companyId
    },
    /** Makes a user of the company, or of another one, who is not signed in. */
    user,
    client,
    /** Another company. */
    foreign: async () => ({
      companyId: (await createCompany(deps, COMMAND_LINE, { name: 'Another company' })).id,
    }),
    /** Makes such a user and signs the user in. */
    person: async (role?: UserRole, given?: Options): Promise<Person> => {
      const { id, email } = await user(role, given)
      const signedIn = client()
      const answer = await signedIn.signIn(email)
      if (answer.status !== 200) throw new Error(`nobody is signed in: ${verdictOf(answer)}`)
      return { id, email, client: signedIn }
    },
  }
}

let paths = 0

/** Creates an object as the signed-in user by the session API. @throws Error for a refusal */
export async function make(client: ConsoleClient, path: string, body: object): Promise<Json> {
  const answer = await client.call('POST', path, body)
  if (answer.status === 200 || answer.status === 201) return answer.body.data
  throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
}

export type ConsoleWebhook = { readonly id: string; readonly secret: string; readonly path: string }

/** Makes a webhook to its own path at the receiver, which verifies its signatures from now on. */
export async function makeWebhook(
  { stack: { receiver } }: ConsoleInUse,
  client: ConsoleClient,
  fields: object = {},
): Promise<ConsoleWebhook> {
  const path = `/console-${++paths}`
  const body = { name: 'Contacts', url: receiver.url(path), events: ['contact.created'], max_retries: 0 }
  const { id, secret } = await make(client, '/webhooks', { ...body, ...fields })
  receiver.trust(path, secret)
  return { id, secret, path }
}

/** A key of the test's company that may do everything, with a client for it. */
export const makeKey = ({ stack, companyId }: ConsoleInUse): Promise<TestTenant> =>
  createTestTenant(stack.db, stack.api.url, { companyId })

/** Inserts ended deliveries of a webhook, failed unless `columns` say otherwise. Returns their ids. */
export const insertEndedDeliveries = (
  { stack: { db }, companyId }: ConsoleInUse,
  count: number,
  webhookId: string,
  columns: Partial<DeliveryRow> = {},
): Promise<string[]> =>
  insertOpenDeliveries(db, count, {
    tenant: { companyId, environment: 'live' },
    webhookId,
    columns: { status: 'failed', attempts: 1, next_retry_at: null, wake_at: null, ...columns },
  })

/** Makes a webhook with an endpoint that answers 500, and returns its id. */
export async function makeFailingWebhook(
  console: ConsoleInUse,
  client: ConsoleClient,
  name: string,
): Promise<string> {
  const { id, path } = await makeWebhook(console, client, { name })
  console.stack.receiver.behave(path, { status: 500 })
  return id
}

/** Makes a webhook with `count` deliveries that failed for good. Afterwards its endpoint answers 2xx again. */
export async function makeFailedDeliveries(
  console: ConsoleInUse,
  client: ConsoleClient,
  count: number,
): Promise<ConsoleWebhook> {
  const webhook = await makeWebhook(console, client)
  const { receiver } = console.stack
  receiver.behave(webhook.path, { status: 500 })
  const key = await makeKey(console)
  for (let number = 0; number < count; number++) await createContact(key)
  const path = `/webhooks/${webhook.id}/deliveries?status=failed&limit=100`
  const failed = async () => (await client.call('GET', path)).body.data as Json[]
  await untilThere(failed, count, { what: `${count} failed deliveries` })
  receiver.behave(webhook.path, {})
  return webhook
}

/** The token of a link for an invitation or for a new password. */
export const tokenOf = (link: string): string => new URL(link).hash.slice(1)

/** Moves the signed-in user's last password check eleven minutes back. */
export const forgetPassword = ({ stack: { db } }: ConsoleInUse, userId: string): Promise<number> =>
  db('console_sessions')
    .where({ user_id: userId })
    .update({ password_at: db.raw('password_at - INTERVAL 11 MINUTE') })

/** The latest audit entry about somebody's sign-ins. */
export const latestSignIn = ({ stack: { db } }: ConsoleInUse, userId: string): Promise<Json> =>
  db('audit').where({ actor: userId, action: 'session.start' }).orderBy('id', 'desc').first()
