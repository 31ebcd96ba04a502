import type { Db } from '../../db/connection/connection.ts'
import { ConcurrencyLimit } from '../concurrency-limit.ts'

/** The turns that the publishes of one company take in this process: to be judged by filters, and to be written. */
type Turns = { readonly judging: ConcurrencyLimit; readonly writing: ConcurrencyLimit }

/** A request waits for as long as for a connection. The limits of requests let 128 of a company wait. */
const WAITING = {
  waiting: 1_000,
  waitMs: 3_000,
  message: 'Too many changes and publishes of the company wait: send the next one when one is answered.',
}

/**
 * How long a transaction takes at most, in milliseconds, where the database is well. One of 1,000 deliveries takes some hundred.
 * When a company's take longer on average, who waited in vain is told 503: the database is slow, and that is not the company's doing.
 */
const USUAL_MS = 500

/** Connections for publishes that one company holds at once: half of those that there are. */
const WRITING = 3

const turns = new WeakMap<Db, Turns>()

/** The turns for the connections of a process. */
export function turnsOf(publishDb: Db): Turns {
  const known = turns.get(publishDb) ?? {
    judging: new ConcurrencyLimit({ ...WAITING, running: 1 }),
    writing: new ConcurrencyLimit({ ...WAITING, running: WRITING, usualMs: USUAL_MS }),
  }
  turns.set(publishDb, known)
  return known
}
