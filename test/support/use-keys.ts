import type { SystemDeps } from '../../src/deps/deps.ts'
import { expectDescribed } from './contract.ts'
import { stackDeps } from './database.ts'
import { createKeyring, type Keyring } from './use-operations.ts'
import type { Stack } from './use-stack.ts'

export type CallInit = {
  readonly method?: string
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  /** Another process than the stack's own api. */
  readonly url?: string
}

/** Calls of an api with keys of a company that the test makes. Read what is here inside tests. */
export function useKeys(given: () => Stack) {
  let deps: SystemDeps
  let keyring: Keyring
  before(async () => {
    deps = stackDeps(given())
    keyring = await createKeyring(deps)
  })

  /** Calls the api with exactly these headers, and reads the answer as text. It lists webhooks unless told otherwise. */
  async function call({ method = 'GET', path = '/api-v1-webhooks', ...more }: CallInit = {}) {
    const { url = given().api.url, ...init } = more
    const response = await fetch(`${url}${path}`, { method, ...init })
    const { status, headers } = response
    const text = await response.text()
    const body = (text === '' ? {} : JSON.parse(text)) as { error?: { code: string; message: string } }
    await expectDescribed(response.url, method, { status, headers, body })
    /** `401 API_KEY_EXPIRED`, or `200` for an answer that is no error. */
    const verdict = body.error ? `${status} ${body.error.code}` : String(status)
    return { status, headers, text, verdict, message: body.error?.message ?? '' }
  }

  return {
    get stack() {
      return given()
    },
    get deps() {
      return deps
    },
    get keyring() {
      return keyring
    },
    call,
    callWith: (secret: string, init: CallInit = {}) =>
      call({ ...init, headers: { authorization: `Bearer ${secret}`, ...init.headers } }),
    /** Lets the expiry of a key be now, by the clock of the database. */
    expireNow: async (keyId: string): Promise<void> => {
      const { db } = given()
      await db('api_keys')
        .where({ id: keyId })
        .update({ expires_at: db.fn.now(3) })
    },
  }
}
