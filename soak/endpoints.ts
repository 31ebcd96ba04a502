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

/** Every fifth webhook fails, in one of these ways. */
const FAILING_KINDS = ['errors', 'hangs', 'refuses', 'dies'] as const
const FAILING_EVERY = 5

/**
 * - `good`: answers 200, sometimes a little late.
 * - `errors`: mostly 500.
 * - `hangs`: often no answer, or the connection is cut.
 * - `refuses`: takes no connections for spells, and answers 200 between them.
 * - `dies`: answers nothing but 500, or 429 with Retry-After, for spells.
 */
export type EndpointKind = 'good' | (typeof FAILING_KINDS)[number]

/** The kind of the endpoint of the nth webhook, from 0. */
export const kindOf = (number: number): EndpointKind =>
  number % FAILING_EVERY === FAILING_EVERY - 1
    ? FAILING_KINDS[Math.floor(number / FAILING_EVERY) % FAILING_KINDS.length]!
    : 'good'

const OPEN_MS = [4_000, 12_000] as const
const REFUSING_MS = [2_000, 6_000] as const
/** How likely it is that an endpoint dies at a request, and for how long. */
const DEATH_CHANCE = 0.05
const DEAD_MS = [10_000, 30_000] as const

/** The endpoints of the soak on loopback, in this process. They fail as their kind says, until `heal`. */
export class Endpoints {
  /** When connections were refused, epoch milliseconds. */
  readonly spells: { readonly atMs: number; readonly cutUntilMs: number }[] = []
  /** By path. `deadUntilMs`: epoch. */
  readonly #endpoints = new Map<string, { readonly kind: EndpointKind; deadUntilMs: number }>()
  readonly #options: ReceiverOptions
  readonly #random: SeededRandom
  readonly #healing = new AbortController()
  #spellsEnded: Promise<void> | undefined
  #steady: Receiver | undefined
  #refusingUrl: Receiver['url'] | undefined

  constructor({ cert, key }: SoakStack['tls'], record: ReceiverRecord, random: SeededRandom) {
    this.#random = random
    const onRequest: ReceiverOptions['onRequest'] = (request) => {
      record.add(request)
      this.#drawNext(request.path)
    }
    this.#options = { cert, key, isKept: false, onRequest }
  }

  async start() {
    this.#steady = await createReceiver(this.#options)
    const refusing = await createReceiver(this.#options)
    this.#refusingUrl = refusing.url
    this.#spellsEnded = this.#refuseForSpells(refusing)
  }

  /** Adds an endpoint. @returns its URL */
  add(path: string, kind: EndpointKind): string {
    this.#endpoints.set(path, { kind, deadUntilMs: 0 })
    this.#drawNext(path)
    return (kind === 'refuses' ? this.#refusingUrl! : this.#steady!.url)(path)
  }

  /** From now on every endpoint answers 200 at once. */
  async heal() {
    this.#healing.abort()
    await this.#spellsEnded
    for (const path of this.#endpoints.keys()) this.#drawNext(path)
  }

  /** Draws how the path answers its next request. Where connections are refused for spells, it always answers 200. */
  #drawNext(path: string) {
    const endpoint = this.#endpoints.get(path)
    if (endpoint) this.#steady!.behave(path, this.#healing.signal.aborted ? {} : this.#draw(endpoint))
  }

  #draw(endpoint: { readonly kind: EndpointKind; deadUntilMs: number }): Behaviour {
    const random = this.#random
    const { kind } = endpoint
    if (kind === 'errors' && random.isHit(0.7)) return { status: 500 }
    if (kind === 'hangs' && random.isHit(0.5)) return random.isHit(0.8) ? { hang: true } : { reset: true }
    if (kind === 'good' && random.isHit(0.1)) return { delayMs: random.integer(10, 400) }
    if (kind !== 'dies') return {}
    if (Date.now() >= endpoint.deadUntilMs) {
      if (!random.isHit(DEATH_CHANCE)) return {}
      endpoint.deadUntilMs = Date.now() + random.integer(...DEAD_MS)
    }
    return random.isHit(0.1) ? { status: 429, headers: { 'retry-after': '2' } } : { status: 500 }
  }

  /** Cuts all connections of a receiver and takes none for a while, again and again. */
  async #refuseForSpells(receiver: Receiver) {
    let listening = receiver
    while (!(await this.#pause(OPEN_MS))) {
      const atMs = Date.now()
      await listening.close()
      this.spells.push({ atMs, cutUntilMs: Date.now() })
      await this.#pause(REFUSING_MS)
      listening = await createReceiver({ ...this.#options, port: receiver.port })
    }
  }

  /** Waits for a random time, which `heal` cuts short. @returns whether the endpoints are healed */
  #pause([least, most]: readonly [number, number]): Promise<boolean> {
    return pause(this.#random.between(least, most), this.#healing.signal)
  }
}
