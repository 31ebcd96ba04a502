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
/** How likely an endpoint dies with a request, and for how long. */
const DEATH_CHANCE = 0.05
const DEAD_MS = [10_000, 30_000] as const

/** The endpoints of the soak on loopback, in this process. They fail as they are told, until they are healed. */
export class Endpoints {
  /** When connections were refused, epoch milliseconds. */
  readonly spells: { readonly atMs: number; readonly cutUntilMs: number }[] = []
  readonly #kinds = new Map<string, EndpointKind>()
  /** By path: until when it is dead, epoch. */
  readonly #deadUntil = new Map<string, number>()
  readonly #options: ReceiverOptions
  readonly #random: SeededRandom
  readonly #healing = new AbortController()
  #spellsEnded: Promise<void> | undefined
  #steady: Receiver | undefined
  /** Of the endpoints that refuse connections for spells; undefined while they do. */
  #refusing: Receiver | undefined
  #refusingPort = 0

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
    await this.#listenAgain()
    this.#spellsEnded = this.#refuseForSpells()
  }

  /** Adds an endpoint. @returns its URL */
  add(path: string, kind: EndpointKind): string {
    this.#kinds.set(path, kind)
    this.#drawNext(path)
    return kind === 'refuses' ? `https://127.0.0.1:${this.#refusingPort}${path}` : this.#steady!.url(path)
  }

  /** From now on every endpoint answers 200 at once. */
  async heal() {
    this.#healing.abort()
    await this.#spellsEnded
    for (const path of this.#kinds.keys()) this.#drawNext(path)
  }

  get #isHealed(): boolean {
    return this.#healing.signal.aborted
  }

  /** Draws how the path answers its next request. */
  #drawNext(path: string) {
    const kind = this.#kinds.get(path) ?? 'good'
    const receiver = kind === 'refuses' ? this.#refusing : this.#steady
    receiver?.behave(path, this.#isHealed ? {} : this.#drawBehaviour(kind, path))
  }

  #drawBehaviour(kind: EndpointKind, path: string): Behaviour {
    const random = this.#random
    if (kind === 'errors' && random.isHit(0.7)) return { status: 500 }
    if (kind === 'hangs' && random.isHit(0.5)) return random.isHit(0.8) ? { hang: true } : { reset: true }
    if (kind === 'good' && random.isHit(0.1)) return { delayMs: random.integer(10, 400) }
    if (kind !== 'dies') return {}
    if (Date.now() >= (this.#deadUntil.get(path) ?? 0)) {
      if (!random.isHit(DEATH_CHANCE)) return {}
      this.#deadUntil.set(path, Date.now() + random.integer(...DEAD_MS))
    }
    return random.isHit(0.1) ? { status: 429, headers: { 'retry-after': '2' } } : { status: 500 }
  }

  async #refuseForSpells() {
    while (!(await this.#pause(OPEN_MS))) {
      const atMs = Date.now()
      const receiver = this.#refusing
      this.#refusing = undefined
      await receiver?.close()
      this.spells.push({ atMs, cutUntilMs: Date.now() })
      await this.#pause(REFUSING_MS)
      await this.#listenAgain()
    }
  }

  /** Healing ends it. @returns whether it has */
  #pause([least, most]: readonly [number, number]): Promise<boolean> {
    return pause(this.#random.between(least, most), this.#healing.signal)
  }

  async #listenAgain() {
    this.#refusing = await createReceiver({ ...this.#options, port: this.#refusingPort })
    this.#refusingPort = this.#refusing.port
  }
}
