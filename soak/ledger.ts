/** What the api answered to one try. */
export type Reply = {
  /** 0: no answer came, or one that leaves open what happened. */
  readonly status: number
  readonly data: unknown
  readonly error: { readonly code: string; readonly message: string } | undefined
}

/** Times are epoch milliseconds; `sentAtMs` is that of the first try. */
export type Answer = Reply & { readonly sentAtMs: number; readonly answeredAtMs: number }

/** The statuses that mean success, and those of refusals that the caller may meet. */
export type Statuses = { readonly good: readonly number[]; readonly allowed?: readonly number[] }

/** An event that the api answered with 2xx. */
export type Accepted = Pick<Answer, 'sentAtMs' | 'answeredAtMs'> & {
  readonly id: string
  /** The publisher's number of the event. */
  readonly tag: number
  readonly type: string
  /** As the api answered. */
  deliveries: number
}

/** What the publishers know: the events that were accepted, and those of which nobody told what became of them. */
export class Ledger {
  /** By id. */
  readonly accepted = new Map<string, Accepted>()
  /** Tags of the publishes without a certain answer, each publish by itself. */
  readonly uncertain: number[][] = []
  /** Test events that were answered. */
  readonly tests: { deliveryId: string; isSuccess: boolean }[] = []
  /** Deliveries that were made to repeat others. */
  readonly resends: { id: string; of: string }[] = []
  /** Ids of the recoveries that were begun. */
  readonly recoveries: string[] = []
  /** Answers that contradict what the api answered before, or what it promises. */
  readonly contradictions: string[] = []
  /** How often each change or request was answered with success. */
  readonly done = new Map<string, number>()
  /** Events that were sent to the api so far. */
  sent = 0

  /** Gives an event a new number. */
  nextTag = (): number => ++this.sent

  /** Notes an answer; one without a certain status says nothing. @returns whether it was a success */
  note(name: string, { status, error }: Answer, { good, allowed = [] }: Statuses): boolean {
    if (good.includes(status)) this.done.set(name, (this.done.get(name) ?? 0) + 1)
    else if (status !== 0 && !allowed.includes(status))
      this.contradictions.push(`${name} was answered with ${status} ${error?.code}: ${error?.message}`)
    return good.includes(status)
  }

  accept(event: Accepted) {
    const before = this.accepted.get(event.id)
    if (!before) this.accepted.set(event.id, event)
    else if (before.deliveries !== event.deliveries)
      this.contradictions.push(
        `a repeat of ${event.id} was answered with ${event.deliveries} deliveries, and ${before.deliveries} before`,
      )
  }
}
