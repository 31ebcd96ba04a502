import { DIRECT } from './first-attempts.ts'
import { share } from './kept.ts'
import type { RunningPart } from './outputs.ts'
import { startStack, withApi, type Stack, type StackOptions } from './stack.ts'
import type { TestTenant } from './tenants.ts'

/**
 * The stacks that the files of a mocha process share: a start costs a third of a second, a tenant of one's own costs
 * nothing. Settings stand together where no test of one notices the other. Nobody may break a shared stack or end a part of it.
 */
const STACKS = {
  /** For all files that ask for nothing special. */
  usual: {},
  /** No worker: what is published stays pending, and what is asked of a worker is not done. */
  quiet: { workers: 0, environment: { AUTH_FAILURES_PER_MINUTE: '0' } },
  /** Its worker makes direct attempts, and waits for answers that a test holds back. */
  direct: { environment: { ...DIRECT, WEBHOOK_TIMEOUT: '10s' } },
  /** Its parts log everything, and its failed attempts come back after a delay under 1 s. */
  talkative: { environment: { LOG_LEVEL: 'trace', WEBHOOK_RETRY_SCHEDULE: '100ms' } },
} as const satisfies Record<string, StackOptions>

/** The second api of the stack `quiet`. */
const PROXIED = { TRUSTED_PROXIES: '127.0.0.1,198.51.100.0/24' }

/** `proxied` is the stack `quiet` seen through its second api. */
type SharedStack = keyof typeof STACKS | 'proxied'

/** Gives a shared stack; its first caller in a mocha process starts it. hooks.ts checks and stops it. */
async function sharedStack(name: SharedStack): Promise<Stack> {
  if (name === 'proxied') return (await share(name, secondApi)).stack
  return share(name, () => startStack(STACKS[name]))
}

/** It is checked and ends with the stack that it belongs to. */
async function secondApi() {
  const quiet = await sharedStack('quiet')
  return { stack: withApi(quiet, await quiet.startApi(PROXIED)), stop: () => Promise.resolve() }
}

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
