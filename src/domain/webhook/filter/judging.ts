import { judge, type CompiledFilter, type FilterVerdict } from './compile.ts'
import { MOST_EVENT_WORK, MOST_WORK } from './work.ts'

/** After this much work, at most about 5 ms, the process serves other requests. */
const SLICE_WORK = 5 * MOST_WORK
/** Parsing 256 KiB takes about as long as judging an event by the most costly filter. */
const WORK_PER_BYTE = 0.25

/** An event whose bytes are parsed once, and only if a filter needs them. */
export class JudgedEvent {
  readonly #body: Buffer
  #envelope: object | undefined
  /** The verdicts of the filters so far, and the work of all these judgements. */
  readonly verdicts = new Map<CompiledFilter, FilterVerdict>()
  work = 0

  constructor(body: Buffer) {
    this.#body = body
  }

  /** The work of parsing the event; 0 once it is parsed. */
  get parsingWork(): number {
    return this.#envelope ? 0 : this.#body.length * WORK_PER_BYTE
  }

  get envelope(): object {
    return (this.#envelope ??= JSON.parse(this.#body.toString()) as object)
  }
}

const TOO_MUCH: FilterVerdict = { kind: 'too_much' }

/** Judges each event by each filter only once. Between parts of the work the process serves other requests. */
export class Judging {
  /** The work so far; see MOST_WORK. */
  work = 0
  #sliceEnd = SLICE_WORK
  readonly #events = new WeakMap<Buffer, JudgedEvent>()

  /** The event with this body. For the same Buffer object it returns the same event, with its verdicts. */
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

/** One request or page judges events of at most this many bytes in all. */
const MOST_JUDGED_BYTES = 16 * 1024 * 1024

/**
 * Limits the events that one request or page judges.
 *
 * @param longestMs the time limit, in milliseconds from now on, by `clock`
 * @returns a function to call with the size of each judged event, in bytes. It returns whether another event may be judged
 */
export function judgingLimit(longestMs: number, clock: () => Date): (bytes: number) => boolean {
  const endMs = clock().getTime() + longestMs
  let bytesLeft = MOST_JUDGED_BYTES
  return (bytes) => {
    bytesLeft -= bytes
    return bytesLeft > 0 && clock().getTime() < endMs
  }
}

/** How many events are read at once. Together they have at most 10 MiB. */
const READ_AT_ONCE = 20

type Judged = {
  readonly id: string
  readonly verdict: FilterVerdict
  readonly envelope: object
  readonly bytes: number
}

/**
 * Judges events by a filter, in the order of `ids`. Events that no longer exist are left out. It reads READ_AT_ONCE events
 * at a time, and only when the caller asks for one of them.
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
