import { print } from '../cli/print.ts'
import { colourState, textOf, type Style } from '../cli/people/style.ts'
import { EVENT_TYPES } from '../domain/event/catalog.ts'
import type { FeedEvent } from './feed-client.ts'
import type { Posted } from './forward.ts'
import type { ListenSettings } from './command.ts'

/** Wide enough for every event type. */
const TYPE_WIDTH = Math.max(...EVENT_TYPES.map(({ length }) => length)) + 2

/** Prints the start, each event and the sum on stdout: as text, or with --json as documents. Problems go to stderr. */
export class Report {
  readonly #isJson: boolean
  readonly #style: Style
  #isReady = false
  #ok = 0
  #failed = 0

  constructor(isJson: boolean, style: Style) {
    this.#isJson = isJson
    this.#style = style
  }

  /** The api has answered, so key and address are right. */
  ready({ api, forwardTo, secret }: ListenSettings): void {
    this.#isReady = true
    const document = { listening_to: api, forward_to: forwardTo.href, secret }
    const lines = [`Events of ${api} go to ${forwardTo.href}. Ctrl-C ends.`, `Signing secret: ${secret}`]
    this.#print(document, lines.join('\n'))
  }

  event({ id, event, created_at }: FeedEvent, { status, error, durationMs }: Posted, cursor: string): void {
    const isOk = status !== null && status >= 200 && status <= 299
    if (isOk) this.#ok += 1
    else this.#failed += 1
    const document = { event_id: id, event, created_at, status, error, duration_ms: durationMs }
    const show = (value: unknown) => textOf(value, this.#style)
    const outcome = `${colourState(isOk ? 'success' : 'failed', this.#style)} ${show(status ?? error)}`
    const line = `${show(created_at)}  ${show(event).padEnd(TYPE_WIDTH)}${show(id)}  ${outcome}  ${durationMs} ms`
    this.#print({ ...document, next_cursor: cursor }, line)
    if (error === 'ECONNREFUSED')
      this.#tell('Nothing listens at the address of --forward-to. --since replays events once it does.')
  }

  lost(api: string, why: string): void {
    this.#tell(`${api} does not answer (${why}). Trying again.`)
  }

  goesOn(cursor: string): void {
    this.#tell(`Connected again. Going on behind ${cursor}.`)
  }

  expired(cursor: string, message: string): void {
    this.#tell(`Events behind ${cursor} are lost. Going on at the oldest one left. The api says: ${message}`)
  }

  /** Prints the sum at the end; nothing if the api never answered. @param cursor where to go on */
  summary(cursor: string): void {
    if (!this.#isReady) return
    const events = this.#ok + this.#failed
    const document = { events, ok: this.#ok, failed: this.#failed, next_cursor: cursor }
    const line = `${events} events: ${this.#ok} ok, ${this.#failed} failed. Go on with --since ${cursor}`
    this.#print(document, line)
  }

  #print(document: object, text: string): void {
    print(this.#isJson ? JSON.stringify(document) : text)
  }

  #tell(text: string): void {
    process.stderr.write(`${textOf(text, this.#style)}\n`)
  }
}
