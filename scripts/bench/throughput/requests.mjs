import { steadySeconds } from './clock.mjs'

const SENT_AT = '"sent_at":"'
/** Place for a time of the steady clock with microseconds, in seconds: as good for two years after the machine's start. */
const TIME_LENGTH = 15
const formatTime = (/** @type {number} */ seconds) => seconds.toFixed(6).padStart(TIME_LENGTH, '0')

/**
 * One request that publishes, ready to be written. It belongs to one connection, because its times change in place.
 */
export class PublishRequest {
  /** @type {number[]} */
  #timesAt = []

  /** @param {{ host: string, key: string, types: readonly string[], eventBytes: number, isBatch?: boolean }} options types:
   *   one for each event; eventBytes: of an event in the request */
  constructor({ host, key, types, eventBytes, isBatch = types.length > 1 }) {
    const events = types.map((type) => eventText(type, eventBytes))
    const body = isBatch ? `{"events":[${events.join(',')}]}` : (events[0] ?? '')
    const head = [
      ...['POST /api-v1-events HTTP/1.1', `host: ${host}`, `authorization: Bearer ${key}`],
      ...['content-type: application/json', `content-length: ${body.length}`],
    ]
    /** What goes over the wire. */
    this.bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1')
    this.events = types.length
    for (let at = this.bytes.indexOf(SENT_AT); at >= 0; at = this.bytes.indexOf(SENT_AT, at + 1))
      this.#timesAt.push(at + SENT_AT.length)
  }

  /** Writes the time of sending into every event. @param {number} [seconds] of the steady clock */
  stamp(seconds = steadySeconds()) {
    const text = formatTime(seconds)
    for (const at of this.#timesAt) this.bytes.write(text, at, 'latin1')
  }
}

/** @param {string} type @param {number} bytes @returns {string} JSON of just so many bytes */
function eventText(type, bytes) {
  const text = (/** @type {string} */ filler) =>
    `{"event":"${type}","data":{${SENT_AT}${formatTime(0)}","text":"${filler}"}}`
  return text('x'.repeat(Math.max(0, bytes - text('').length)))
}

/**
 * @param {Buffer} body what an endpoint received
 * @returns {number} when its event was sent, in seconds of the steady clock; NaN when it does not tell
 */
export function sentAt(body) {
  const at = body.indexOf(SENT_AT)
  if (at < 0) return NaN
  const from = at + SENT_AT.length
  return Number(body.toString('latin1', from, from + TIME_LENGTH))
}
