import { DIRECT } from './first-attempts.ts'
import { share } from './kept.ts'
import { startStack, withApi, type Stack, type StackOptions } from './stack.ts'

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
export type SharedStack = keyof typeof STACKS | 'proxied'

/** Gives a shared stack; its first caller in a mocha process starts it. hooks.ts checks and stops it. */
export async function sharedStack(name: SharedStack): Promise<Stack> {
  if (name === 'proxied') return (await share(name, secondApi)).stack
  return share(name, () => startStack(STACKS[name]))
}

/** It is checked and ends with the stack that it belongs to. */
async function secondApi() {
  const quiet = await sharedStack('quiet')
  return { stack: withApi(quiet, await quiet.startApi(PROXIED)), stop: () => Promise.resolve() }
}
