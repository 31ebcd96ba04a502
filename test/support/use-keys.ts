import { keyStackOn, type KeyStack } from './key-stack.ts'
import type { Keyring } from './keyring.ts'
import type { Stack } from './stack.ts'

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
      await stack
        .db('api_keys')
        .where({ id: keyId })
        .update({ expires_at: stack.db.fn.now(3) })
    },
  }
}
