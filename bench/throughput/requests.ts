import { setTimeout as sleep } from 'node:timers/promises'
import { steadySeconds } from '../support/figures.ts'

/** How often an open loop looks whether something is due. */
const LOOK_EVERY_MS = 1

/**
 * Sends at a fixed rate, whatever the answers take. Resolves once all are answered.
 *
 * @param send dueAt: when the request was found due, in seconds of the steady clock
 */
export async function keepRate(
  perSecond: number,
  seconds: number,
  send: (dueAt: number) => Promise<void>,
): Promise<void> {
  const total = Math.round(perSecond * seconds)
  const startedAt = steadySeconds()
  const sent: Promise<void>[] = []
  while (sent.length < total) {
    const now = steadySeconds()
    while (sent.length < total && sent.length <= (now - startedAt) * perSecond) sent.push(send(now))
    await sleep(LOOK_EVERY_MS)
  }
  await Promise.all(sent)
}

const SENT_AT = '"sent_at":"'
/** Characters of a time of the steady clock, in seconds with microseconds: enough for three years after the machine's start. */
const TIME_LENGTH = 15
const formatTime = (seconds: number): string => seconds.toFixed(6).padStart(TIME_LENGTH, '0')

/** Bytes of an event in the request. */
const EVENT_BYTES = 1024

/** One request that publishes, ready to be written. It belongs to one connection, because its times change in place. */
export class PublishRequest {
  /** What goes over the wire. */
  readonly bytes: Buffer
  readonly events: number
  readonly #timesAt: number[] = []

  /** @param types one for each event */
  constructor(port: number, key: string, types: readonly string[]) {
    const events = types.map(eventText)
    const body = types.length > 1 ? `{"events":[${events.join(',')}]}` : (events[0] ?? '')
    const head = [
      'POST /api-v1-events HTTP/1.1',
      `host: 127.0.0.1:${port}`,
      `authorization: Bearer ${key}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
    ]
    this.bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1')
    this.events = types.length
    for (let at = this.bytes.indexOf(SENT_AT); at >= 0; at = this.bytes.indexOf(SENT_AT, at + 1))
      this.#timesAt.push(at + SENT_AT.length)
  }

  /** Writes the time of sending into every event. @param seconds of the steady clock */
  stamp(seconds: number): void {
    const text = formatTime(seconds)
    for (const at of this.#timesAt) this.bytes.write(text, at, 'latin1')
  }
}

/** The JSON of an event of EVENT_BYTES bytes. */
function eventText(type: string): string {
  const text = (filler: string) =>
    `{"event":"${type}","data":{${SENT_AT}${formatTime(0)}","text":"${filler}"}}`
  return text('x'.repeat(EVENT_BYTES - text('').length))
}

/** When the event was sent that an endpoint received, in seconds of the steady clock; NaN when it does not tell. */
export function sentAt(body: Buffer): number {
  const at = body.indexOf(SENT_AT)
  if (at < 0) return NaN
  const from = at + SENT_AT.length
  return Number(body.toString('latin1', from, from + TIME_LENGTH))
}
