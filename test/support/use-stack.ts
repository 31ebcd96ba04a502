import { startStack, type Stack, type StackOptions } from './stack.js'
import type { TestTenant } from './tenants.js'

/** What the hooks have prepared; read it inside tests. */
export type StackInUse = {
  readonly stack: Stack
  /** A company of its own for each test. */
  readonly tenant: TestTenant
}

/** Starts a stack before the tests of the surrounding `describe` and stops it after them. */
export function useStack(options: StackOptions = {}): StackInUse {
  const prepared: { stack: Stack | undefined; tenant: TestTenant | undefined } = {
    stack: undefined,
    tenant: undefined,
  }
  before(async () => {
    prepared.stack = await startStack(options)
  })
  beforeEach(async () => {
    prepared.tenant = await prepared.stack?.tenant()
  })
  after(() => prepared.stack?.stop())
  return {
    get stack() {
      return here(prepared.stack)
    },
    get tenant() {
      return here(prepared.tenant)
    },
  }
}

function here<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the stack is there inside tests only')
  return value
}
