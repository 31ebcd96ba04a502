import { judge, type CompiledFilter, type FilterVerdict } from './compile.ts'
import { MOST_EVENT_WORK, MOST_WORK } from './work.ts'

/** Work after which other requests of the process have their turn: about 5 ms at most. */
const SLICE_WORK = 5 * MOST_WORK
/** Parsing 256 KiB takes about as long as judging by the most costly filter. */
const WORK_PER_BYTE = 0.25

/** An event whose bytes are parsed once, and only if somebody asks. */
export class JudgedEvent {
  readonly #body: Buffer
  #envelope: object | undefined
  /** What filters found, and the work that this took. */
  readonly verdicts = new Map<CompiledFilter, FilterVerdict>()
  work = 0

  constructor(body: Buffer) {
    this.#body = body
  }

  /** The work of parsing that is still to do. */
  get parsingWork(): number {
    return this.#envelope ? 0 : this.#body.length * WORK_PER_BYTE
  }

  get envelope(): object {
    return (this.#envelope ??= JSON.parse(this.#body.toString()) as object)
  }
}

const TOO_MUCH: FilterVerdict = { kind: 'too_much' }

/** Judges many events by filters, each once, with turns for others in between. */
export class Judging {
  /** The work so far; see MOST_WORK. */
  work = 0
  #sliceEnd = SLICE_WORK
  readonly #events = new WeakMap<Buffer, JudgedEvent>()

  /** The event with this body, as it was judged before. */
  eventOf(body: Buffer): JudgedEvent {
    const event = this.#events.get(body) ?? new JudgedEvent(body)
    this.#events.set(body, event)
    return event
  }

  async judge(filter: CompiledFilter, event: JudgedEvent): Promise<FilterVerdict> {
    const known = event.verdicts.get(filter)
    if (known) return known
    if (event.work > MOST_EVENT_WORK) return TOO_MUCH
    if (this.work >= this.#sliceEnd) {
      this.#sliceEnd = this.work + SLICE_WORK
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.work += event.parsingWork + (filter.work.isFresh ? SLICE_WORK : 0)
    const verdict = judge(filter, event.envelope)
    this.work += filter.work.spent
    event.work += filter.work.spent
    event.verdicts.set(filter, verdict)
    return verdict
  }
}

/** Bytes of events that one request or page judges at most. */
const MOST_JUDGED_BYTES = 16 * 1024 * 1024

/**
 * Bounds the events that one request or page judges.
 *
 * @param longestMs by the clock, from now on
 * @returns takes the bytes of an event that was judged, and tells whether another one may be
 */
export function judgingLimit(longestMs: number, clock: () => Date): (bytes: number) => boolean {
  const endMs = clock().getTime() + longestMs
  let bytesLeft = MOST_JUDGED_BYTES
  return (bytes) => {
    bytesLeft -= bytes
    return bytesLeft > 0 && clock().getTime() < endMs
  }
}

/** Events whose bytes are read at once: 10 MiB at most. */
const READ_AT_ONCE = 20

type Judged = {
  readonly id: string
  readonly verdict: FilterVerdict
  readonly envelope: object
  readonly bytes: number
}

/**
 * Judges events by a filter, in the order of `ids`; those that are gone are left out. It reads a few at a time, as its caller
 * asks for them.
 *
 * @param read finds the events with these ids, in any order
 */
export async function* judgeEvents(
  read: (ids: readonly string[]) => Promise<readonly { readonly id: string; readonly body: Buffer }[]>,
  filter: CompiledFilter,
  ids: readonly string[],
): AsyncGenerator<Judged> {
  const judging = new Judging()
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    const some = ids.slice(from, from + READ_AT_ONCE)
    const found = new Map((await read(some)).map(({ id, body }) => [id, body]))
    for (const id of some) {
      const body = found.get(id)
      if (!body) continue
      const event = new JudgedEvent(body)
      const verdict = await judging.judge(filter, event)
      yield { id, verdict, envelope: event.envelope, bytes: body.length }
    }
  }
}
