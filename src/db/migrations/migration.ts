import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'
import { isRetryable } from '../connection/errors.ts'
import { ApiError } from '../../domain/errors.ts'

/** One version of the schema. `up` runs the steps in order. `down` undoes them, the last step first. */
export type Migration = { readonly name: string; readonly steps: readonly Step[] }

/**
 * A change of the schema in one statement, or a change of rows in pages. steps.ts makes them. A step does only what the
 * database still lacks. So it may run again after it was cut off at any statement.
 */
export type Step = Record<Direction, (db: Knex) => Promise<unknown>> & {
  /** For operators, such as `deliveries: column resend_no`. */
  readonly title: string
}

export type Direction = 'up' | 'down'

/** How a migration waits for the locks of other transactions, and who is told of its steps. */
export type StepOptions = {
  readonly tell?: (line: string) => void
  readonly tries?: number
  readonly pauseMs?: number
}

/**
 * How long a statement waits for a lock, in seconds. During this wait all later statements on the table wait for the
 * migration.
 */
export const LOCK_WAIT_S = 5

/** A step that took longer reports its time at its end. */
const LONG_STEP_MS = 1_000

/**
 * Runs the steps of a migration. A step that does not get its lock gives up, so that other statements on the table go on,
 * and tries again after a pause.
 *
 * @throws ApiError that says what to do, if the last try did not get its lock; otherwise the database's error
 */
export async function runSteps(
  db: Knex,
  { name, steps }: Migration,
  direction: Direction,
  { tell = () => undefined, tries = 12, pauseMs = 5_000 }: StepOptions = {},
): Promise<void> {
  for (const step of direction === 'up' ? steps : steps.toReversed()) {
    const title = `${name}: ${step.title}`
    tell(title)
    const startedMs = performance.now()
    for (let made = 1; !(await gotLock(() => step[direction](db))); made++) {
      if (made === tries) throw notFree(title)
      tell(`${title}: a transaction holds the table, try ${made + 1} of ${tries} follows`)
      await delay(pauseMs)
    }
    const tookMs = performance.now() - startedMs
    if (tookMs >= LONG_STEP_MS) tell(`${title}: took ${(tookMs / 1000).toFixed(1)} s`)
  }
}

/** @returns false if the work did not get a lock in time */
async function gotLock(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (isRetryable(error)) return false
    throw error
  }
}

const notFree = (title: string) =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    `${title}: a transaction holds the table all the time. information_schema.innodb_trx shows it: wait for its end or KILL its trx_mysql_thread_id. Then run the command again, which goes on here.`,
  )
