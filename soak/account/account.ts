import type { Parts } from '../changes.ts'
import type { Kill } from '../kills.ts'
import { compareDeliveries, compareDue, compareRecoveries } from './deliveries.ts'
import { compareEvents, compareSubscribers } from './events.ts'
import { compareAttempts, compareRequests } from './requests.ts'
import { endOf, type Rows } from './rows.ts'
import { compareWorkflows, type RunningWorkflow } from './workflows.ts'

/** Everything that is compared. */
export type Known = Pick<Parts, 'ledger' | 'record' | 'webhooks'> & {
  readonly endpoints: Pick<Parts['endpoints'], 'spells'>
  readonly kills: readonly Kill[]
  readonly rows: Rows
  /** The workflows of deliveries and recoveries that have not ended. */
  readonly running: readonly RunningWorkflow[]
}

/** What does not agree, and what a kill explains. The `row` of a line is what the database or the owner knows of it. */
export class Account {
  /** Events and deliveries that were accepted and did not come to an end. */
  readonly lost: string[] = []
  readonly disagreements: string[] = []
  /** Requests that came twice, or came and were not recorded, because a part was killed at that time. */
  readonly explained: string[] = []

  lose = (says: string, row?: unknown) => this.lost.push(withRow(says, row))
  disagree = (says: string, row?: unknown) => this.disagreements.push(withRow(says, row))
  explain = (says: string) => this.explained.push(says)
  isGood = (): boolean => this.lost.length + this.disagreements.length === 0
}

const withRow = (says: string, row: unknown): string =>
  row === undefined ? says : `${says}: ${JSON.stringify(row)}`

/**
 * Compares everything that is known except the counters.
 *
 * @returns the end of each delivery, and how many requests were answered 2xx although an earlier one was
 */
export function compareAll(account: Account, known: Known) {
  account.disagreements.push(...known.ledger.contradictions)
  compareEvents(account, known)
  compareSubscribers(account, known)
  compareDeliveries(account, known)
  compareDue(account, known)
  compareRecoveries(account, known)
  compareRequests(account, known)
  const duplicates = compareAttempts(account, known)
  compareWorkflows(account, known)
  return { ends: known.rows.deliveries.map(endOf), duplicates }
}
