import {
  createReceiver,
  type Behaviour,
  type Receiver,
  type ReceiverOptions,
} from '../scripts/receiver/receiver.ts'
import type { SeededRandom } from './random.ts'
import { pause } from './rate.ts'
import type { ReceiverRecord } from './record.ts'
import type { SoakStack } from './stack.ts'

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
export async function startEndpoints(
  { cert, key }: SoakStack['tls'],
  record: ReceiverRecord,
  random: SeededRandom,
) {
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
