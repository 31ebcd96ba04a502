import type { Deps } from '../../src/deps/deps.ts'
import { expectDescribed } from './contract.ts'
import { testDeps } from './deps.ts'
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
  readonly deps: Deps
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
  const deps = testDeps({ url: stack.environment['DATABASE_URL'] ?? '', db: stack.db }, stack.environment)
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
