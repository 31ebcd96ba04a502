import { EventEmitter, once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { Webhook } from 'standardwebhooks'
import type { Behaviour, ReceivedRequest, ReceiverOptions } from './receiver.ts'

/** For how many header values a path remembers its count; the oldest is forgotten first. */
const REMEMBERED = 10_000

/** How long `next` and `waitFor` wait. */
const DEFAULT_TIMEOUT_MS = 10_000

/** How a path behaves, which secrets it trusts, and what it got. */
const newPath = (behaviour: Behaviour = {}) => ({
  behaviour,
  /** Requests since the latest `behave`, by the value of the header that `countBy` names. */
  counts: new Map<string, number>(),
  secrets: new Set<string>(),
  requests: [] as ReceivedRequest[],
  /** How many requests next() handed out. */
  taken: 0,
  arrived: new EventEmitter().setMaxListeners(0),
})

/** The paths of a receiver: how each behaves, which secrets it trusts, what it got, and who waits for more. */
export class Paths {
  readonly #paths = new Map<string, ReturnType<typeof newPath>>()
  readonly #rules: Pick<ReceiverOptions, 'behaviourOf' | 'secretsOf'>

  /** @param rules behaviourOf: for paths before their first `behave` */
  constructor(rules: Pick<ReceiverOptions, 'behaviourOf' | 'secretsOf'>) {
    this.#rules = rules
  }

  #at(name: string) {
    const path = this.#paths.get(name) ?? newPath(this.#rules.behaviourOf?.(name))
    this.#paths.set(name, path)
    return path
  }

  /** Tells a path how to behave from now on, by default to answer 200, and starts its count again. */
  behave(name: string, behaviour: Behaviour = {}): void {
    const path = this.#at(name)
    path.behaviour = behaviour
    path.counts.clear()
  }

  /** Adds a secret (`whsec_…`) to those of which one must fit a signature to the path. @throws Error for what is no secret */
  trust(name: string, secret: string): void {
    new Webhook(secret)
    this.#at(name).secrets.add(secret)
  }

  /** Forgets the secrets of a path. */
  distrust(name: string): void {
    this.#at(name).secrets.clear()
  }

  /** Counts a request. @returns its number, from 1, since the latest `behave` */
  arrive(name: string, headers: IncomingHttpHeaders): { behaviour: Behaviour; number: number } {
    const { behaviour, counts } = this.#at(name)
    const counted = behaviour.countBy === undefined ? '' : String(headers[behaviour.countBy])
    const number = (counts.get(counted) ?? 0) + 1
    counts.set(counted, number)
    if (counts.size > REMEMBERED) counts.delete(counts.keys().next().value!)
    return { behaviour, number }
  }

  /** @returns undefined when the path trusts no secret */
  async verify(name: string, headers: IncomingHttpHeaders, body: Buffer): Promise<boolean | undefined> {
    const secrets = [...this.#at(name).secrets, ...((await this.#rules.secretsOf?.(name)) ?? [])]
    if (secrets.length === 0) return undefined
    return secrets.some((secret) => isSigned(new Webhook(secret), headers, body))
  }

  /** Keeps a request, and wakes the calls that wait for it. */
  add(request: ReceivedRequest): void {
    const { requests, arrived } = this.#at(request.path)
    requests.push(request)
    arrived.emit('request')
  }

  /** In the order of arrival. */
  requestsTo(name: string): ReceivedRequest[] {
    return [...this.#at(name).requests]
  }

  /** All requests to the path once there are at least `count`. @throws Error when they did not come */
  async waitFor(name: string, count: number, { timeoutMs = DEFAULT_TIMEOUT_MS } = {}) {
    const { requests, arrived } = this.#at(name)
    const signal = AbortSignal.timeout(timeoutMs)
    while (requests.length < count)
      await once(arrived, 'request', { signal }).catch((cause: unknown) => {
        const got = `${name} got ${requests.length} of ${count} expected requests`
        throw new Error(`${got} within ${timeoutMs} ms`, { cause })
      })
    return [...requests]
  }

  /** The first request to the path that no earlier call returned; waits for it if needed. @throws Error when none came */
  async next(name: string, options?: { timeoutMs?: number }): Promise<ReceivedRequest> {
    const index = this.#at(name).taken++
    return (await this.waitFor(name, index + 1, options))[index]!
  }
}

/** Whether its signature is right. */
export function isSigned(verifier: Webhook, headers: IncomingHttpHeaders, body: Buffer): boolean {
  try {
    verifier.verify(body, headers as Record<string, string>, { jsonParse: false })
    return true
  } catch {
    return false
  }
}

/** Clearly slow, and well below the 15 s that an attempt may take. */
const SLOW_MS = 5000

/** Paths of the demo receiver with a fixed behaviour, each with a line for people. They show the ways in which endpoints fail. */
export const FIXED_PATHS: readonly { path: string; says: string; behaviour: Behaviour }[] = [
  {
    path: '/status/500',
    says: 'answers 500, or whichever status from 200 to 599 you write there',
    behaviour: { status: 500 },
  },
  { path: '/slow', says: `answers 200 after ${SLOW_MS / 1000} s`, behaviour: { delayMs: SLOW_MS } },
  { path: '/gone', says: 'answers 410, which deactivates the webhook', behaviour: { status: 410 } },
  { path: '/reset', says: 'cuts the connection without an answer', behaviour: { reset: true } },
  {
    path: '/fails-twice',
    says: 'answers 503 to the first two requests of each webhook-id, then 200',
    behaviour: { failTimes: 2, status: 503, countBy: 'webhook-id' },
  },
]

/** The behaviour of a fixed path; undefined for every other path. */
export function fixedBehaviour(name: string): Behaviour | undefined {
  const status = /^\/status\/([2-5]\d\d)$/.exec(name)?.[1]
  return status ? { status: Number(status) } : FIXED_PATHS.find(({ path }) => path === name)?.behaviour
}
