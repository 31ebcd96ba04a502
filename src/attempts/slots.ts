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

/** An endpoint is slow if its latest attempt took longer. Temporal gives up the task of a workflow after 10 s. */
const SLOW_MS = 3_000
/** How many slow endpoints are remembered. */
const MOST_SLOW = 10_000

/**
 * The slots of this process: how many attempts may be on the wire at once. A company may use no more slots than are free in
 * the process, and a webhook no more than are free to its company. So a company whose endpoints all hang fills at most
 * half of the process, and there is always room for the next one. This is the dynamic threshold of shared packet buffers
 * (Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998), with a factor of one. Reservations may exceed
 * the capacity by a few. Attempts never do, because each is an open socket. The starts of an endpoint are paced
 * (PacedPool).
 *
 * Every method takes the same time, however many slots are used. Those that read or change slots first end the reservations
 * that lapsed.
 */
export class Slots {
  readonly #options: SlotsOptions
  readonly #whole: SlotPool
  /** Companies and endpoints that use a slot now. Idle ones are forgotten. */
  readonly #companies = new Map<string, SlotPool>()
  readonly #endpoints = new Map<string, PacedPool>()
  readonly #reservations = new Reservations()
  /** Endpoints whose latest attempt was slow, as this process saw it. */
  readonly #slow = new Map<string, true>()

  constructor(options: SlotsOptions) {
    this.#options = options
    this.#whole = new SlotPool(() => options.capacity)
  }

  /**
   * Takes a slot, using the delivery's reservation if it has one.
   *
   * @param isProbe whether the attempt may use the extra slot that its webhook has for probes
   * @returns the function that gives the slot back, where a second call does nothing; undefined when no slot is free
   */
  take(holder: SlotHolder, deliveryId: string, isProbe = false): (() => void) | undefined {
    this.#endLapsed()
    const isReserved = this.#reservations.remove(deliveryId)
    const pools = this.#poolsOf(holder)
    if (isReserved) for (const pool of pools) pool.reserved -= 1
    const [ofWebhook, ...others] = pools
    const isAdmitted =
      isReserved || (ofWebhook.hasRoom(isProbe ? 1 : 0) && others.every((pool) => pool.hasRoom()))
    if (!isAdmitted || this.#whole.taken >= this.#options.capacity) {
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

  /** Slots that the relay may fill now for the webhook; `freeOfCompany` and `freeOfAll` apply as well. */
  free({ companyId, webhookId }: SlotHolder): number {
    this.#endLapsed()
    const endpoint = this.#endpoints.get(webhookId)
    if (!endpoint) return this.#webhookLimit(companyId)
    return Math.min(endpoint.free, endpoint.startsAllowed(this.#options.now()))
  }

  /**
   * Whether the latest attempt to the endpoint took longer than 3 s. Then the first attempt of a workflow is an ordinary
   * activity: a local one would keep the workflow's task open (docs/decisions, A workflow's first attempt is a local activity).
   */
  isSlow({ webhookId }: SlotHolder): boolean {
    return this.#slow.has(webhookId)
  }

  /** Slots that the relay may fill now for all webhooks of the company together. */
  freeOfCompany(companyId: string): number {
    this.#endLapsed()
    return this.#companies.get(companyId)?.free ?? this.#whole.free
  }

  /** Slots that the relay may fill now for all companies together. */
  freeOfAll(): number {
    this.#endLapsed()
    return this.#whole.free
  }

  /** Reserves a slot for a delivery that the relay is about to wake; the reservation lapses by itself. */
  reserve(holder: SlotHolder, deliveryId: string): void {
    this.cancelReservation(holder, deliveryId)
    const nowMs = this.#options.now()
    this.#reservations.add(holder, deliveryId, nowMs)
    for (const pool of this.#poolsOf(holder)) pool.reserved += 1
    this.#endpointOf(holder).started(nowMs)
  }

  /** Ends the delivery's reservation: nothing is to be sent now. */
  cancelReservation(holder: SlotHolder, deliveryId: string): void {
    this.#endLapsed()
    if (this.#reservations.remove(deliveryId)) this.#unreserve(holder)
  }

  /** Ends the reservations whose time is over. Constant on average, because each reservation ends once. */
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

  /** Forgets the endpoint and the company once they use no slot, and with the endpoint its pace. */
  #forgetIdle({ companyId, webhookId }: SlotHolder): void {
    if (this.#endpoints.get(webhookId)?.used === 0) this.#endpoints.delete(webhookId)
    if (this.#companies.get(companyId)?.used === 0) this.#companies.delete(companyId)
  }

  /** The pools that count a slot of the holder: of the webhook, the company and the process. */
  #poolsOf(holder: SlotHolder): readonly [SlotPool, ...SlotPool[]] {
    return [this.#endpointOf(holder), this.#companyOf(holder.companyId), this.#whole]
  }

  #endpointOf({ companyId, webhookId }: SlotHolder): PacedPool {
    return ensure(this.#endpoints, webhookId, () => new PacedPool(() => this.#webhookLimit(companyId)))
  }

  #companyOf(companyId: string): SlotPool {
    return ensure(this.#companies, companyId, () => new SlotPool(() => this.#whole.free))
  }

  /** Slots of a webhook: no more than are free to its company, but at least one. */
  #webhookLimit(companyId: string): number {
    const freeOfCompany = this.#whole.free - (this.#companies.get(companyId)?.used ?? 0)
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
