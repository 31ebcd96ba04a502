import { QUICK_LEASES } from './crashes.ts'
import { BY_WORKFLOWS, DIRECT } from './first-attempts.ts'
import { startStack, withApi, type Stack, type StackOptions } from './stack.ts'

/** Events that a company may publish in a minute on the stack `quiet`. */
export const PUBLISH_LIMIT = 400

/** Webhooks that a tenant may have on the stack `proxied`. */
export const WEBHOOK_LIMIT = 12

/**
 * The stacks that the files of a run share: a start costs seconds, a tenant of one's own costs nothing. Settings stand
 * together where no test of one notices the other. Nobody may break a shared stack or end one of its processes.
 */
const STACKS = {
  /** For all files that ask for nothing special. */
  usual: {},
  /** No worker: what is published stays pending, and what is asked of a worker is not done. */
  quiet: {
    workers: 0,
    environment: { AUTH_FAILURES_PER_MINUTE: '0', PUBLISH_PER_MINUTE: String(PUBLISH_LIMIT) },
  },
  /** Its worker makes first attempts itself, and waits for answers that a test holds back. */
  direct: { environment: { ...DIRECT, WEBHOOK_TIMEOUT: '10s' } },
  /** Its processes log everything, and its failed attempts come back after a delay under 1 s. */
  talkative: { environment: { LOG_LEVEL: 'trace', WEBHOOK_RETRY_SCHEDULE: '100ms' } },
  /** Its reconciler looks every second. */
  watched: { environment: { RECONCILE_AFTER: '1s', WEBHOOK_TIMEOUT: '6s' } },
  /** For files that need an api alone, and for those that bring their own workers, one after the other (use-process.ts). */
  unstaffed: { workers: 0 },
  /** Tests start workers and kill them (crash-stack.ts). */
  crashing: { workers: 0, environment: QUICK_LEASES, mayLogErrors: true },
} as const satisfies Record<string, StackOptions>

/** The second api process of the stack `quiet`. */
const PROXIED = { TRUSTED_PROXIES: '127.0.0.1,198.51.100.0/24', WEBHOOKS_PER_TENANT: String(WEBHOOK_LIMIT) }

/**
 * `proxied` is the stack `quiet` seen through its second api process. `by workflows` is `usual`, unless a run has its first
 * attempts made by workers.
 */
export type SharedStack = keyof typeof STACKS | 'proxied' | 'by workflows'

const found = new Map<SharedStack, Promise<Stack>>()
/** Those that are processes of their own, each once. */
const started: Promise<Stack>[] = []

/**
 * Gives a shared stack; the first caller of a run starts it.
 *
 * @throws Error where mocha runs files side by side: it ends their processes without the hook that stops the stack
 */
export function sharedStack(name: SharedStack): Promise<Stack> {
  if (process.env['MOCHA_WORKER_ID'] !== undefined) throw new Error('files side by side cannot share a stack')
  const stack = found.get(name) ?? find(name)
  found.set(name, stack)
  return stack
}

function find(name: SharedStack): Promise<Stack> {
  if (name === 'proxied') return secondApi()
  if (name !== 'by workflows') return start(STACKS[name])
  const isUsual = process.env['TEST_FIRST_ATTEMPT'] === undefined
  return isUsual ? sharedStack('usual') : start({ environment: BY_WORKFLOWS })
}

async function secondApi(): Promise<Stack> {
  const quiet = await sharedStack('quiet')
  return withApi(quiet, await quiet.startApi(PROXIED))
}

function start(options: StackOptions): Promise<Stack> {
  const stack = startStack(options)
  started.push(stack)
  return stack
}

/** As long as a stack has that a file stops, for each. */
const STOP_WITHIN_MS = 20_000

after(async function () {
  this.timeout(STOP_WITHIN_MS * (started.length + 1))
  const starts = await Promise.allSettled(started)
  const stacks = starts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const ends = await Promise.allSettled(stacks.map((stack) => stack.stop()))
  const faults = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []))
  if (faults.length > 0) throw new Error(faults.join('\n'))
})
