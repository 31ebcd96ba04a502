import type { SystemDeps } from '../../src/deps/deps.ts'
import { expectDescribed } from './contract.ts'
import { stackDeps } from './deps.ts'
import { createKeyring, type Keyring } from './keyring.ts'
import type { Stack } from './stack.ts'

/** What an API answered, with its body read as text. */
type RawAnswer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** `401 API_KEY_EXPIRED`, or `200` for an answer that is no error. */
  readonly verdict: string
  readonly message: string
}

/** Running processes, and the operations on their database, for the tests of API keys. */
export type KeyStack = Stack & {
  readonly deps: SystemDeps
  keyring(): Promise<Keyring>
  /** Calls the api with exactly these headers. */
  call(init?: CallInit): Promise<RawAnswer>
  /** Calls the api with a key; lists webhooks unless told otherwise. */
  callWith(secret: string, init?: CallInit): Promise<RawAnswer>
}

export type CallInit = {
  readonly method?: string
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  /** Another process than the stack's own api. */
  readonly url?: string
}

/** A stack with what the tests of API keys need. */
export function keyStackOn(stack: Stack): KeyStack {
  const deps = stackDeps(stack)
  const call = ({ method = 'GET', path = '/api-v1-webhooks', url = stack.api.url, ...init }: CallInit = {}) =>
    fetch(`${url}${path}`, { method, ...init }).then((response) => readAnswer(method, response))
  return {
    ...stack,
    deps,
    keyring: () => createKeyring(deps),
    call,
    callWith: (secret, init = {}) =>
      call({ ...init, headers: { authorization: `Bearer ${secret}`, ...init.headers } }),
  }
}

async function readAnswer(method: string, response: Response): Promise<RawAnswer> {
  const { status, headers, url } = response
  const text = await response.text()
  const body = (text === '' ? {} : JSON.parse(text)) as { error?: { code: string; message: string } }
  await expectDescribed(url, method, { status, headers, body })
  const { error } = body
  const verdict = error ? `${status} ${error.code}` : String(status)
  return { status, headers, text, verdict, message: error?.message ?? '' }
}

type KeysInUse = {
  readonly stack: KeyStack
  readonly keyring: Keyring
  /** Lets the expiry of a key be now, by the clock of the database. */
  expireNow(keyId: string): Promise<void>
}

/** The stack with what the tests of API keys need, and a company whose keys they make; read them inside tests. */
export function useKeys(given: () => Stack): KeysInUse {
  let stack: KeyStack
  let keyring: Keyring
  before(async () => {
    stack = keyStackOn(given())
    keyring = await stack.keyring()
  })
  return {
    get stack() {
      return stack
    },
    get keyring() {
      return keyring
    },
    async expireNow(keyId) {
      const key = stack.db('api_keys').where({ id: keyId })
      await key.update({ expires_at: stack.db.fn.now(3) })
    },
  }
}
