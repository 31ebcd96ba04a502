import { Webhook } from 'standardwebhooks'
import { isSigned } from '../scripts/receiver/paths.ts'
import {
  createReceiver,
  type Behaviour,
  type ReceivedRequest,
  type Receiver,
  type ReceiverOptions,
} from '../scripts/receiver/receiver.ts'
import type { SeededRandom } from './random.ts'
import { pause } from './rate.ts'
import type { SoakStack } from './stack.ts'

/** One request that an endpoint received. `path` names the webhook, `status` is what it was answered, `atMs` is epoch. */
export type Seen = Pick<ReceivedRequest, 'path' | 'isCut'> & {
  /** webhook-id: the event's id. */
  readonly id: string
  readonly atMs: number
  status: ReceivedRequest['status']
  /** Index of the path's secret that fits the signature; -1: no known secret does. */
  secret: number
}

/** The receivers' record: which request came when, what it was answered, and which secret had signed it. */
class ReceiverRecord {
  readonly seen: Seen[] = []
  /** By path, the oldest first. `retiredAtMs`: when the api answered with the next secret. */
  readonly #secrets = new Map<string, { readonly verifier: Webhook; retiredAtMs: number }[]>()
  /** Requests whose signature no known secret fits: the answer with the secret may still come. */
  #unverified: { seen: Seen; request: ReceivedRequest }[] = []

  add(request: ReceivedRequest) {
    const { path, headers, receivedAt, status, isCut } = request
    const secret = this.#findSecret(request)
    const id = String(headers['webhook-id'])
    const seen = { path, id, atMs: receivedAt.getTime(), status, isCut, secret }
    this.seen.push(seen)
    if (secret < 0) this.#unverified.push({ seen, request })
  }

  /** Takes a secret that the api has answered with, and checks again the requests that no former secret fits. */
  learn(path: string, secret: string) {
    const secrets = this.#secrets.get(path) ?? []
    const former = secrets.at(-1)
    if (former) former.retiredAtMs = Date.now()
    secrets.push({ verifier: new Webhook(secret), retiredAtMs: Infinity })
    this.#secrets.set(path, secrets)
    this.#unverified = this.#unverified.filter(({ seen, request }) => {
      if (seen.path === path) seen.secret = this.#findSecret(request)
      return seen.secret < 0
    })
  }

  /** When the secret of its signature was replaced, epoch; Infinity: never. */
  retiredAtMs({ path, secret }: Pick<Seen, 'path' | 'secret'>): number {
    return this.#secrets.get(path)?.[secret]?.retiredAtMs ?? Infinity
  }

  /** The newest secret that fits; -1 for none. */
  #findSecret({ path, headers, body }: ReceivedRequest): number {
    const secrets = this.#secrets.get(path) ?? []
    return secrets.findLastIndex(({ verifier }) => isSigned(verifier, headers, body))
  }
}

/** Whether it was answered with 2xx. */
export const isGood = ({ status }: { readonly status: number | null | undefined }): boolean =>
  (status ?? 0) >= 200 && (status ?? 0) <= 299

/** Names a delivery: an event at a webhook. */
export const deliveryKey = ({ path, id }: Pick<Seen, 'path' | 'id'>): string => `${path} ${id}`

const OPEN_MS = [4_000, 12_000] as const
const REFUSING_MS = [2_000, 6_000] as const
/** How likely it is that an endpoint dies at a request, and for how long. */
const DEATH_CHANCE = 0.05
const DEAD_MS = [10_000, 30_000] as const

/** `deadUntilMs`: epoch. */
type Draw = (random: SeededRandom, endpoint: { deadUntilMs: number }) => Behaviour

/** The kinds of endpoints. Each draws how an endpoint answers its next request. */
const KINDS = {
  /** 200, sometimes a little late. */
  good: (random) => (random.isHit(0.1) ? { delayMs: random.integer(10, 400) } : {}),
  /** Mostly 500. */
  errors: (random) => (random.isHit(0.7) ? { status: 500 } : {}),
  /** Often no answer, or the connection is cut. */
  hangs: (random) => (random.isHit(0.5) ? {} : random.isHit(0.8) ? { hang: true } : { reset: true }),
  /** 200, but connections are refused for spells. */
  refuses: () => ({}),
  /** Nothing but 500, or 429 with Retry-After, for spells. */
  dies(random, endpoint) {
    if (Date.now() >= endpoint.deadUntilMs) {
      if (!random.isHit(DEATH_CHANCE)) return {}
      endpoint.deadUntilMs = Date.now() + random.integer(...DEAD_MS)
    }
    return random.isHit(0.1) ? { status: 429, headers: { 'retry-after': '2' } } : { status: 500 }
  },
} satisfies Record<string, Draw>

export type EndpointKind = keyof typeof KINDS

const FAILING_KINDS = ['errors', 'hangs', 'refuses', 'dies'] as const
const FAILING_EVERY = 5

/** The kind of the endpoint of the nth webhook, from 0. Every fifth fails, in one way after the other: only there the index is whole. */
export const kindOf = (n: number): EndpointKind =>
  FAILING_KINDS[((n + 1) / FAILING_EVERY - 1) % FAILING_KINDS.length] ?? 'good'

export type Endpoints = Awaited<ReturnType<typeof startEndpoints>>

/** Starts the endpoints of the soak on loopback, in this process. They fail as their kind says, until `heal`. */
export async function startEndpoints({ cert, key }: SoakStack['tls'], random: SeededRandom) {
  const record = new ReceiverRecord()
  const endpoints = new Map<string, { readonly kind: EndpointKind; deadUntilMs: number }>()
  const healing = new AbortController()
  const spells: { readonly atMs: number; readonly cutUntilMs: number }[] = []
  const options: ReceiverOptions = {
    cert,
    key,
    isKept: false,
    onRequest(request) {
      record.add(request)
      prepare(request.path)
    },
  }
  const steady = await createReceiver(options)
  const refusing = await createReceiver(options)
  const spellsEnded = refuseForSpells(refusing)

  function prepare(path: string) {
    const endpoint = endpoints.get(path)
    if (endpoint) steady.behave(path, healing.signal.aborted ? {} : KINDS[endpoint.kind](random, endpoint))
  }

  /** Cuts all connections of a receiver and takes none for a while, again and again. */
  async function refuseForSpells(receiver: Receiver) {
    let listening = receiver
    while (!(await pause(random.between(...OPEN_MS), healing.signal))) {
      const atMs = Date.now()
      await listening.close()
      spells.push({ atMs, cutUntilMs: Date.now() })
      await pause(random.between(...REFUSING_MS), healing.signal)
      listening = await createReceiver({ ...options, port: receiver.port })
    }
  }
  return {
    record,
    /** When connections were refused, epoch milliseconds. */
    spells,
    /** Adds an endpoint. @returns its URL */
    add(path: string, kind: EndpointKind): string {
      endpoints.set(path, { kind, deadUntilMs: 0 })
      prepare(path)
      return (kind === 'refuses' ? refusing : steady).url(path)
    },
    /** From now on every endpoint answers 200 at once. */
    async heal() {
      healing.abort()
      await spellsEnded
      for (const path of endpoints.keys()) prepare(path)
    },
  }
}
