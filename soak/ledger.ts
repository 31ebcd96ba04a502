import { randomUUID } from 'node:crypto'
import type { Reply, SoakClient } from './client.ts'

/** repeated: the call may be repeated as it is; keyed: it may, because it has an Idempotency-Key. */
export type CallMode = 'once' | 'repeated' | 'keyed'

export type Call = {
  readonly method?: string
  readonly body?: unknown
  readonly mode?: CallMode
  /** The statuses that mean success. */
  readonly good: readonly number[]
  /** The statuses of refusals that the caller may meet. */
  readonly allowed?: readonly number[]
}

/** An event that the api answered with 2xx. Times are epoch milliseconds; `sentAtMs` is that of the first try. */
type Accepted = {
  readonly id: string
  /** The publisher's number of the event. */
  readonly tag: number
  readonly type: string
  /** As the api answered. */
  readonly deliveries: number
  readonly sentAtMs: number
  readonly answeredAtMs: number
}

/** One event, or a batch of several. */
export type Publish = readonly { id?: string; event: string; data: { tag: number; text: string } }[]

/** What the publishers know: the events that were accepted, and the publishes without a certain answer. */
export class Ledger {
  /** By id. */
  readonly accepted = new Map<string, Accepted>()
  /** Tags of the publishes without a certain answer, each publish by itself. */
  readonly uncertain: number[][] = []
  /** The latest publishes with chosen ids that were answered: they may be sent once more. */
  readonly answered: Publish[] = []
  /** Test events that were answered. */
  readonly tests: { deliveryId: string; isSuccess: boolean }[] = []
  /** Deliveries that were made to repeat others. */
  readonly resends: { id: string; of: string }[] = []
  /** Ids of the recoveries that were begun. */
  readonly recoveries: string[] = []
  /** Answers that contradict what the api answered before, or what it promises. */
  readonly contradictions: string[] = []
  /** The name of each call that was answered with success. */
  readonly done: string[] = []
  /** Events that were sent to the api so far. */
  sent = 0

  /** Gives an event a new number. */
  nextTag = (): number => ++this.sent

  accept(event: Accepted) {
    const before = this.accepted.get(event.id)
    if (!before) this.accepted.set(event.id, event)
    else if (before.deliveries !== event.deliveries)
      this.contradictions.push(
        `a repeat of ${event.id} was answered with ${event.deliveries} deliveries, and ${before.deliveries} before`,
      )
  }
}

/**
 * Makes a call, and notes its answer in the ledger. A call that may be repeated is, until its answer is certain. An uncertain
 * answer is not noted.
 *
 * @returns isDone: it was a success
 */
export async function ask(
  { client, ledger }: { readonly client: SoakClient; readonly ledger: Ledger },
  name: string,
  path: string,
  { method = 'POST', body, mode = 'once', good, allowed = [] }: Call,
) {
  const headers = mode === 'keyed' ? { 'idempotency-key': randomUUID() } : undefined
  const call = [method, path, body, headers] as const
  const sentAtMs = Date.now()
  const reply: Reply = await (mode === 'once' ? client.ask(...call) : client.askUntilCertain(...call))
  const { status, error } = reply
  const isDone = good.includes(status)
  if (isDone) ledger.done.push(name)
  else if (status !== 0 && !allowed.includes(status))
    ledger.contradictions.push(`${name} was answered with ${status} ${error?.code}: ${error?.message}`)
  return { ...reply, isDone, sentAtMs, answeredAtMs: Date.now() }
}
