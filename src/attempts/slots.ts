import { setLatest } from '../domain/buffers.ts'
import { PacedPool, Reservations, SlotPool, type SlotHolder } from './slot-pool.ts'

type SlotsOptions = {
  /** Slots per webhook in this process now: WEBHOOK_CONCURRENCY divided by the live workers. */
  readonly limit: () => number
  /** Slots of this process in all. */
  readonly capacity: number
  /** A clock in milliseconds that never goes back. */
  readonly now: () => number
}

/**
 * An endpoint is slow if its latest attempt took longer than this. The limit is well below the 10 s after which
 * Temporal gives up a task.
 */
const SLOW_MS = 3_000
/** We remember at most this many slow endpoints. */
const MOST_SLOW = 10_000

/**
 * The slots of this process: how many attempts may be on the wire at once. A company may use at most as many slots as
 * are free in the process. A webhook may use at most as many slots as are free to its company. So a company whose
 * endpoints all hang takes at most half of the slots, and other companies always find free ones. This is the dynamic
 * threshold of shared packet buffers (Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998), with a
 * factor of one. Reservations may exceed the capacity by a few. Attempts never exceed the capacity, because each
 * attempt has an open socket. PacedPool limits how fast the attempts of an endpoint start.
 *
 * Every method takes constant time on average, however many slots are used. Before a public method counts slots, it
 * ends the lapsed reservations.
 */
export class Slots {
  readonly #options: SlotsOptions
  readonly #process: SlotPool
  /** Companies and endpoints that use a slot now. A company or an endpoint without a used slot is removed. */
  readonly #companies = new Map<string, SlotPool>()
  readonly #endpoints = new Map<string, PacedPool>()
  readonly #reservations = new Reservations()
  /** Endpoints whose latest attempt was slow, as this process saw it. */
  readonly #slow = new Map<string, true>()

  constructor(options: SlotsOptions) {
    this.#options = options
    this.#process = new SlotPool(() => options.capacity)
  }

  /**
   * Takes a slot, using the delivery's reservation if it has one.
   *
   * @param isProbe whether the attempt may use the extra slot that its webhook has for probes
   * @returns the function that gives the slot back; its second call does nothing. Undefined when no slot is free
   */
  take(holder: SlotHolder, deliveryId: string, isProbe = false): (() => void) | undefined {
    this.#endLapsed()
    const isReserved = this.#reservations.remove(deliveryId)
    const pools = this.#poolsOf(holder)
    if (isReserved) for (const pool of pools) pool.reserved -= 1
    const [ofWebhook, ...others] = pools
    const isAdmitted =
      isReserved || (ofWebhook.hasRoom(isProbe ? 1 : 0) && others.every((pool) => pool.hasRoom()))
    if (!isAdmitted || this.#process.taken >= this.#options.capacity) {
      this.#forgetIdle(holder)
      return undefined
    }
    for (const pool of pools) pool.taken += 1
    const takenAtMs = this.#options.now()
    let isTaken = true
    return () => {
      if (isTaken) this.#giveBack(holder, takenAtMs)
      isTaken = false
    }
  }

  /** Slots that the relay may fill now for the webhook. The limits of `freeOfCompany` and `freeOfAll` apply too. */
  free({ companyId, webhookId }: SlotHolder): number {
    this.#endLapsed()
    const endpoint = this.#endpoints.get(webhookId)
    if (!endpoint) return this.#webhookLimit(companyId)
    return Math.min(endpoint.free, endpoint.startsAllowed(this.#options.now()))
  }

  /**
   * Whether the latest attempt to the endpoint took longer than 3 s. If so, the first attempt of a workflow is an
   * ordinary activity: a local one would keep the workflow's task open (docs/decisions, A workflow's first attempt is a
   * local activity).
   */
  isSlow({ webhookId }: SlotHolder): boolean {
    return this.#slow.has(webhookId)
  }

  /** Slots that the relay may fill now for all webhooks of the company together. */
  freeOfCompany(companyId: string): number {
    this.#endLapsed()
    return this.#companies.get(companyId)?.free ?? this.#process.free
  }

  /** Slots that the relay may fill now for all companies together. */
  freeOfAll(): number {
    this.#endLapsed()
    return this.#process.free
  }

  /** Reserves a slot for a delivery that the relay is about to wake. The reservation lapses by itself. */
  reserve(holder: SlotHolder, deliveryId: string): void {
    this.cancelReservation(holder, deliveryId)
    const nowMs = this.#options.now()
    this.#reservations.add(holder, deliveryId, nowMs)
    for (const pool of this.#poolsOf(holder)) pool.reserved += 1
    this.#endpointOf(holder).started(nowMs)
  }

  /** Ends the delivery's reservation, because its attempt is not made now. */
  cancelReservation(holder: SlotHolder, deliveryId: string): void {
    this.#endLapsed()
    if (this.#reservations.remove(deliveryId)) this.#unreserve(holder)
  }

  /** Ends the lapsed reservations. Each reservation ends only once, so a call takes constant time on average. */
  #endLapsed(): void {
    for (const holder of this.#reservations.removeLapsed(this.#options.now())) this.#unreserve(holder)
  }

  #unreserve(holder: SlotHolder): void {
    for (const pool of this.#poolsOf(holder)) pool.reserved -= 1
    this.#forgetIdle(holder)
  }

  #giveBack(holder: SlotHolder, takenAtMs: number): void {
    const usedMs = this.#options.now() - takenAtMs
    for (const pool of this.#poolsOf(holder)) pool.taken -= 1
    this.#endpointOf(holder).learn(usedMs)
    if (usedMs > SLOW_MS) setLatest(this.#slow, holder.webhookId, true, MOST_SLOW)
    else this.#slow.delete(holder.webhookId)
    this.#forgetIdle(holder)
  }

  /** Forgets the endpoint, with its pace, if it uses no slot. Does the same with the company. */
  #forgetIdle({ companyId, webhookId }: SlotHolder): void {
    if (this.#endpoints.get(webhookId)?.used === 0) this.#endpoints.delete(webhookId)
    if (this.#companies.get(companyId)?.used === 0) this.#companies.delete(companyId)
  }

  /** The three pools that count a slot of the holder: the pools of the webhook, the company and the process. */
  #poolsOf(holder: SlotHolder): readonly [SlotPool, ...SlotPool[]] {
    return [this.#endpointOf(holder), this.#companyOf(holder.companyId), this.#process]
  }

  #endpointOf({ companyId, webhookId }: SlotHolder): PacedPool {
    return ensure(this.#endpoints, webhookId, () => new PacedPool(() => this.#webhookLimit(companyId)))
  }

  #companyOf(companyId: string): SlotPool {
    return ensure(this.#companies, companyId, () => new SlotPool(() => this.#process.free))
  }

  /** Returns the slots of a webhook: at most as many as are free to its company, but at least one slot. */
  #webhookLimit(companyId: string): number {
    const freeOfCompany = this.#process.free - (this.#companies.get(companyId)?.used ?? 0)
    return Math.max(1, Math.min(this.#options.limit(), freeOfCompany))
  }
}

function ensure<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key)
  if (known) return known
  const fresh = make()
  map.set(key, fresh)
  return fresh
}
