import type { RunningPart } from './outputs.ts'
import { sharedStack, type SharedStack } from './shared-stacks.ts'
import { startStack, type Stack, type StackOptions } from './stack.ts'
import type { TestTenant } from './tenants.ts'

/** What the hooks have prepared; read it inside tests. */
export type StackInUse = {
  readonly stack: Stack
  /** A company of its own for each test. */
  readonly tenant: TestTenant
}

/** A start is a matter of a second, or of a few where processes boot. On a busy machine each takes longer. */
const START_WITHIN_MS = 60_000

/**
 * Gives the tests of the surrounding `describe` a stack: one that the files of a run share, which no test may break; or, with
 * options or what gives them once the hooks before have run, one of their own, stopped after them.
 */
export function useStack(wanted: SharedStack | StackOptions | (() => StackOptions) = 'usual'): StackInUse {
  const prepared: { stack?: Stack; tenant?: TestTenant } = {}
  before(async function () {
    this.timeout(Math.max(START_WITHIN_MS, this.timeout()))
    if (typeof wanted === 'string') prepared.stack = await sharedStack(wanted)
    else prepared.stack = await startStack(typeof wanted === 'function' ? wanted() : wanted)
  })
  beforeEach(async () => {
    prepared.tenant = await here(prepared.stack).tenant()
  })
  if (typeof wanted !== 'string') after(() => prepared.stack?.stop())
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

/**
 * Starts an api or a worker before the tests of the surrounding `describe`, on a stack that they use, and stops it after them.
 *
 * @returns gives it inside tests
 */
export function usePart<T extends RunningPart>(start: () => Promise<T>): () => T {
  let running: T | undefined
  before(async function () {
    this.timeout(START_WITHIN_MS)
    running = await start()
  })
  after(() => running?.stop())
  return () => {
    if (running === undefined) throw new Error('it is there inside tests only')
    return running
  }
}
