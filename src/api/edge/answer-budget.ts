import type { ServerResponse } from 'node:http'
import { retryLater, type ApiError } from '../../domain/errors.ts'
import type { Rest } from '../../operations/concurrency-limit.ts'
import type { Tenant } from '../../domain/tenant.ts'

const MIB = 1024 * 1024

/**
 * Answers of at most this many bytes are never counted or refused. A connection has only one answer at a time, and the
 * number of connections is limited.
 */
const SMALL_BYTES = 64 * 1024

type BudgetLimits = {
  /** How many bytes of large answers one company may have under way, with all its keys together. */
  readonly companyBytes: number
  /** How many bytes of large answers the process may have under way. */
  readonly processBytes: number
  /**
   * This part of `processBytes` is kept for companies that have at most `modestBytes` under way. So two large companies
   * cannot take everything.
   */
  readonly reservedBytes: number
  readonly modestBytes: number
  /** How long an answer waits for room before it is refused. */
  readonly waitMs: number
  /** Replaces UnreadLimits.idleMs while answers wait for room in the process. */
  readonly pressedIdleMs: number
}

const DEFAULT_LIMITS: BudgetLimits = {
  companyBytes: 16 * MIB,
  processBytes: 32 * MIB,
  reservedBytes: 8 * MIB,
  modestBytes: 4 * MIB,
  waitMs: 3_000,
  pressedIdleMs: 1_000,
}

/** How often a waiting answer shortens the idle limit of the answers that are being sent. */
const PRESS_EVERY_MS = 250

/** An answer that is being built or sent. */
type Entry = {
  readonly companyId: string
  readonly response: ServerResponse
  bytes: number
  isPressed: boolean
}

type Waiter = { readonly entry: Entry; readonly bytes: number; readonly admit: () => void }

/** Builds an answer. It must call `makeRoom` with the size before it reads anything large. */
type Build = (makeRoom: (bytes: number) => Promise<void>) => Promise<Buffer>

/**
 * Limits the memory of answers, because an answer that nobody reads stays in memory. A large answer counts from the
 * moment before its rows are read until the client has taken it. If nothing else is counted, an answer of any size is
 * allowed.
 */
export class AnswerBudget {
  readonly #limits: BudgetLimits
  readonly #onChange: (bytes: number) => void
  readonly #entries = new Set<Entry>()
  readonly #waiting = new Set<Waiter>()

  /** @param onChange called with the counted bytes whenever they change */
  constructor(onChange: (bytes: number) => void, limits: Partial<BudgetLimits> = {}) {
    this.#onChange = onChange
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
  }

  /**
   * Builds an answer and counts it until it is sent. The answer to a change is counted but never refused, because the
   * change has taken place.
   *
   * @param rest runs the wait for room, so that the waiting request does not count as working
   * @throws ApiError RATE_LIMITED or SERVICE_UNAVAILABLE with Retry-After when the company or the process has no room
   */
  async serve({ companyId }: Tenant, response: ServerResponse, rest: Rest, build: Build): Promise<Buffer> {
    const entry: Entry = { companyId, response, bytes: 0, isPressed: false }
    this.#entries.add(entry)
    try {
      const answer = await build((bytes) => this.#makeRoom(entry, bytes, rest))
      const bytes = answer.length > SMALL_BYTES ? answer.length : 0
      // A read may be refused after its work, because it changed nothing.
      const isRead = ['GET', 'HEAD'].includes(response.req.method ?? '')
      const lacking = entry.bytes === 0 && bytes > 0 && isRead && this.#lacking(entry, bytes)
      if (lacking) throw this.#refusal(lacking)
      this.#count(entry, bytes)
      if (bytes === 0 || response.req.socket.destroyed) this.#release(entry)
      else response.once('close', () => this.#release(entry))
      return answer
    } catch (error) {
      this.#release(entry)
      throw error
    }
  }

  async #makeRoom(entry: Entry, bytes: number, rest: Rest): Promise<void> {
    if (bytes <= SMALL_BYTES) return
    if (!this.#lacking(entry, bytes)) this.#count(entry, bytes)
    else await rest(() => this.#wait(entry, bytes))
  }

  /** Resolves once other answers have released enough; rejects after `waitMs`. */
  async #wait(entry: Entry, bytes: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const waiter: Waiter = { entry, bytes, admit: () => resolve(undefined) }
    const deadline = setTimeout(() => {
      this.#waiting.delete(waiter)
      reject(this.#refusal(this.#lacking(entry, bytes) ?? 'process'))
    }, this.#limits.waitMs)
    const presser = setInterval(() => {
      if (this.#lacking(entry, bytes) === 'process') this.#pressReaders()
    }, PRESS_EVERY_MS)
    this.#waiting.add(waiter)
    await promise.finally(() => {
      clearTimeout(deadline)
      clearInterval(presser)
    })
  }

  /** The limit that has no room for these bytes, if any. */
  #lacking(entry: Entry, bytes: number): 'company' | 'process' | undefined {
    const ofCompany = this.#counted(({ companyId }) => companyId === entry.companyId)
    const { companyBytes, processBytes, reservedBytes, modestBytes } = this.#limits
    if (ofCompany > 0 && ofCompany + bytes > companyBytes) return 'company'
    const inAll = this.#counted()
    const room = ofCompany + bytes > modestBytes ? processBytes - reservedBytes : processBytes
    return inAll > 0 && inAll + bytes > room ? 'process' : undefined
  }

  #counted(isMeant: (entry: Entry) => boolean = () => true): number {
    let bytes = 0
    for (const entry of this.#entries) if (isMeant(entry)) bytes += entry.bytes
    return bytes
  }

  #count(entry: Entry, bytes: number): void {
    if (bytes === entry.bytes) return
    entry.bytes = bytes
    this.#onChange(this.#counted())
  }

  #release(entry: Entry): void {
    this.#entries.delete(entry)
    if (entry.bytes === 0) return
    this.#onChange(this.#counted())
    for (const waiter of this.#waiting) {
      if (this.#lacking(waiter.entry, waiter.bytes)) continue
      this.#waiting.delete(waiter)
      this.#count(waiter.entry, waiter.bytes)
      waiter.admit()
    }
  }

  /** Shortens the idle limit of every large answer that is being sent, because other answers wait for room. */
  #pressReaders(): void {
    for (const entry of this.#entries) {
      if (entry.bytes === 0 || entry.isPressed || !entry.response.headersSent) continue
      entry.isPressed = true
      entry.response.socket?.setTimeout(this.#limits.pressedIdleMs)
    }
  }

  #refusal(lacking: 'company' | 'process'): ApiError {
    const { waitMs, companyBytes } = this.#limits
    if (lacking === 'process') return retryLater('SERVICE_UNAVAILABLE', PROCESS_MESSAGE, waitMs)
    const mib = Math.floor(companyBytes / MIB)
    const message = `A company may have ${mib} MiB of large answers under way: read them before you ask for more, or ask for smaller pages.`
    return retryLater('RATE_LIMITED', message, waitMs)
  }
}

const PROCESS_MESSAGE =
  'Too many large answers are under way that their callers have not read: try again later, or ask for a smaller page.'
