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
  /** An api process other than the stack's own. */
  readonly url?: string
}

/** Calls an api with keys of a company that the test makes. Read its members inside tests. */
export function useKeys(given: () => Stack) {
  let deps: SystemDeps
  let keyring: Keyring
  before(async () => {
    deps = stackDeps(given())
    keyring = await createKeyring(deps)
  })

  /** Calls the api with exactly these headers, and reads the answer as text. The default request lists webhooks. */
  async function call({ method = 'GET', path = '/api-v1-webhooks', ...more }: CallInit = {}) {
    const { url = given().api.url, ...init } = more
    const response = await fetch(`${url}${path}`, { method, ...init })
    const { status, headers } = response
    const text = await response.text()
    const body = (text === '' ? {} : JSON.parse(text)) as { error?: { code: string; message: string } }
    await expectDescribed(response.url, method, { status, headers, body })
    /** Returns `401 API_KEY_EXPIRED` for example, or `200` for a success. */
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
    /** Sets the expiry of a key to the present time of the database's clock. */
    expireNow: async (keyId: string): Promise<void> => {
      const { db } = given()
      await db('api_keys')
        .where({ id: keyId })
        .update({ expires_at: db.fn.now(3) })
    },
  }
}
