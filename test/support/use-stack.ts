import { startStack, type Stack, type StackOptions } from './stack.js'
import type { TestTenant } from './tenants.js'

/** What the hooks have prepared; read it inside tests. */
export type StackInUse = {
  readonly stack: Stack
  /** A company of its own for each test. */
  readonly tenant: TestTenant
}

/** A start is a matter of seconds, but it may have to wait for places in which to boot (boot-places.ts). */
const START_WITHIN_MS = 60_000

/** The stacks of all files that ask for nothing special: a start costs seconds, a tenant of one's own costs nothing. */
const shared = new Map<number, Promise<Stack>>()
after(() => Promise.all([...shared.values()].map(async (stack) => (await stack).stop())))

function sharedStack(workers: number): Promise<Stack> {
  const stack = shared.get(workers) ?? startStack({ workers })
  shared.set(workers, stack)
  return stack
}

/**
 * Gives the tests of the surrounding `describe` a stack: without options the one that the files of a run share, which
 * no test may break, with `api only` another one that they share, without a worker; with options one of their own, stopped
 * after them.
 */
export function useStack(options?: StackOptions | 'api only'): StackInUse {
  const own = typeof options === 'object' ? options : undefined
  const prepared: { stack: Stack | undefined; tenant: TestTenant | undefined } = {
    stack: undefined,
    tenant: undefined,
  }
  before(async function () {
    this.timeout(START_WITHIN_MS)
    prepared.stack = await (own ? startStack(own) : sharedStack(options === 'api only' ? 0 : 1))
  })
  beforeEach(async () => {
    prepared.tenant = await prepared.stack?.tenant()
  })
  if (own) after(() => prepared.stack?.stop())
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
