import { keyStackOn, type KeyStack } from './key-stack.ts'
import type { Keyring } from './keyring.ts'
import type { Stack } from './stack.ts'

/** The stack with what the tests of API keys need, and a company whose keys they make; read them inside tests. */
export function useKeys(given: () => Stack): { readonly stack: KeyStack; readonly keyring: Keyring } {
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
  }
}
