import {
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto'
import { setLatest } from '../domain/buffers.ts'
import type { KeyRing } from '../domain/sealing/sealing.ts'

/** Says where something is new: in a queue of the outbox, or in the feed of an environment. A hint grants no claim. */
export type Hint = { readonly companyId: string; readonly queue: string }

/** A datagram with more hints could be cut on its way. So in place of the hints it says only that something is new. */
const MOST_HINTS = 12
const ANYWHERE = 'ring'
/** A line of a datagram with hints. */
const HINT = /^(com_[0-9a-f-]{36}) (whk_[0-9a-f-]{36}|live|test)$/

/** The line of a hint in a datagram. */
export const lineOf = ({ companyId, queue }: Hint): string => `${companyId} ${queue}`

/** The message for a datagram. @param lines undefined: the workers search everywhere */
export const writeHints = (lines: readonly string[] | undefined): string =>
  lines === undefined || lines.length > MOST_HINTS ? ANYWHERE : lines.join('\n')

/** The hints of a message; undefined when it has none, or another release wrote it. */
export function readHints(message: string): Hint[] | undefined {
  const lines = message.split('\n', MOST_HINTS + 1)
  const hints = lines.flatMap((line) => {
    const [, companyId, queue] = HINT.exec(line) ?? []
    return companyId !== undefined && queue !== undefined ? [{ companyId, queue }] : []
  })
  return hints.length === lines.length && hints.length <= MOST_HINTS ? hints : undefined
}

/** A datagram is: key id, sender, its time in microseconds, MAC; then a line break and the message. */
const DATAGRAM = /^(([\w-]{1,32}) ([\w-]{11}) (\d{16})) ([\w-]{22})\n([^]*)$/
/** Longer datagrams are not ours. */
const MOST_BYTES = 1_400
const MAC_BYTES = 16
/**
 * How far the time in a datagram may be from the receiver's clock, transmission included. `/readyz` uses the same 30 s:
 * it fails if the clock of its process differs from the database's clock by more than that.
 */
const WINDOW_US = 30_000_000
/** After this many wrong datagrams in a second, all further ones of that second are dropped unread, even valid ones. */
const WRONG_PER_SECOND = 1_000
/** For how many senders the time of the latest datagram is remembered. */
const MOST_SENDERS = 1_024

/**
 * Why a datagram was dropped. `wrong`: its MAC is not ours. `old`: late or repeated. `unread`: too many wrong datagrams
 * came in that second.
 */
export type DropReason = 'wrong' | 'old' | 'unread'

type Keys = ReadonlyMap<string, KeyObject>

/**
 * Derives keys that only the doorbell uses, by HKDF (RFC 5869). So a MAC reveals nothing about the keys that seal
 * secrets.
 */
const deriveKeys = ({ keys }: KeyRing): Keys =>
  new Map(
    [...keys].map(
      ([id, key]) => [id, createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'doorbell', 32)))] as const,
    ),
  )

const macOf = (key: KeyObject, head: string, message: string): Buffer =>
  createHmac('sha256', key).update(`${head}\n${message}`, 'latin1').digest().subarray(0, MAC_BYTES)

const nowMicroseconds = () => Date.now() * 1_000

/** Seals the datagrams of one process, with the first key of the key ring. */
export class RingSealer {
  readonly #keyId: string
  readonly #key: KeyObject
  readonly #sender = randomBytes(8).toString('base64url')
  #latestUs = 0

  constructor(ring: KeyRing) {
    this.#keyId = ring.firstKeyId
    const key = deriveKeys(ring).get(ring.firstKeyId)
    if (!key) throw new Error('the key ring is empty')
    this.#key = key
  }

  seal(message: string): Buffer {
    this.#latestUs = Math.max(nowMicroseconds(), this.#latestUs + 1)
    const head = `${this.#keyId} ${this.#sender} ${this.#latestUs}`
    const mac = macOf(this.#key, head, message).toString('base64url')
    return Buffer.from(`${head} ${mac}\n${message}`, 'latin1')
  }
}

/**
 * Opens datagrams that a process has sealed with one of our keys, each datagram once. A wrong datagram costs at most
 * one HMAC, and WRONG_PER_SECOND limits how many of them are read.
 */
export class RingOpener {
  readonly #keys: Keys
  /** The time of each sender's latest datagram, in microseconds. The sender that was silent longest comes first. */
  readonly #latestUs = new Map<string, number>()
  #second = 0
  #wrong = 0

  constructor(ring: KeyRing) {
    this.#keys = deriveKeys(ring)
  }

  open(datagram: Buffer): { readonly message: string } | { readonly dropped: DropReason } {
    const nowUs = nowMicroseconds()
    const second = Math.floor(nowUs / 1_000_000)
    if (second !== this.#second) this.#wrong = 0
    this.#second = second
    if (this.#wrong >= WRONG_PER_SECOND) return { dropped: 'unread' }
    const opened = this.#read(datagram)
    if (!opened) {
      this.#wrong += 1
      return { dropped: 'wrong' }
    }
    const { sender, sentUs, message } = opened
    const isOld = Math.abs(nowUs - sentUs) > WINDOW_US || sentUs <= (this.#latestUs.get(sender) ?? 0)
    if (isOld) return { dropped: 'old' }
    setLatest(this.#latestUs, sender, sentUs, MOST_SENDERS)
    return { message }
  }

  #read(datagram: Buffer): { sender: string; sentUs: number; message: string } | undefined {
    if (datagram.length > MOST_BYTES) return undefined
    const parts = DATAGRAM.exec(datagram.toString('latin1'))
    const key = this.#keys.get(parts?.[2] ?? '')
    if (!parts || !key) return undefined
    const [, head = '', , sender = '', sentUs, mac = '', message = ''] = parts
    const given = Buffer.from(mac, 'base64url')
    const isOurs = timingSafeEqual(macOf(key, head, message), given)
    return isOurs ? { sender, sentUs: Number(sentUs), message } : undefined
  }
}
