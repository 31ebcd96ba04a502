import { databaseNow } from '../../db/clock.ts'
import { isWritable, readServer } from '../../db/connection/checks.ts'
import { isUnknownDatabase, databaseAdvice } from '../../db/connection/errors.ts'
import { measureOutbox } from '../../db/outbox/figures.ts'
import { listMissingMigrations } from '../../db/schema.ts'
import { findLeaseOwner, listWorkers } from '../../db/workers.ts'
import type { SystemDeps } from '../../deps/deps.ts'
import { within } from '../../domain/within.ts'
import { findTroubles, type Look, type Workers } from './troubles.ts'

/** How other parts than the database are asked. They never throw; see Look for what they give. */
export type Probes = {
  readonly askTemporal: () => Promise<Look['temporal']>
  readonly askApi: () => Promise<Look['api']>
}

/** Everything that `status` shows. */
export type Status = Look & { readonly troubles: readonly string[] }

/**
 * How long the look at the database may take in all, in milliseconds. Each question has a limit of its own; a slow database, or
 * one that hangs now and then, must not add them up.
 */
const DATABASE_LIMIT_MS = 5_000

/** The series of upkeep that makes one worker the leader. */
const LEADERSHIP = 'reconciler'

/** Looks at every part at the same time. A part that is away is shown as such, and nothing is thrown. */
export async function readStatus(deps: SystemDeps, { askTemporal, askApi }: Probes): Promise<Status> {
  const [database, temporal, api] = await Promise.all([lookAtDatabaseInTime(deps), askTemporal(), askApi()])
  const look = { database, temporal, api }
  return { ...look, troubles: findTroubles(look) }
}

/** The workers that the database knows. */
export async function readWorkers({ db }: Pick<SystemDeps, 'db'>): Promise<Workers> {
  return { workers: await listWorkers(db), leaderId: await findLeaseOwner(db, LEADERSHIP) }
}

async function lookAtDatabaseInTime(deps: SystemDeps): Promise<Look['database']> {
  const over = new AbortController()
  return within(DATABASE_LIMIT_MS, lookAtDatabase(deps, over.signal), () => {
    over.abort()
    const reason = `The database is slow: it did not answer within ${DATABASE_LIMIT_MS / 1000} s.`
    return { kind: 'away', reason }
  })
}

/** Asks one question after the other, over one connection. @param over ends it behind the question under way */
async function lookAtDatabase({ db, clock }: SystemDeps, over: AbortSignal): Promise<Look['database']> {
  const ask = <T>(question: (from: SystemDeps['db']) => Promise<T>): Promise<T> => {
    over.throwIfAborted()
    return question(db)
  }
  try {
    const server = await ask(readServer)
    const missing = await ask(listMissingMigrations)
    if (missing.length > 0) return { kind: 'unusable', server, missing }
    const askedMs = clock().getTime()
    const now = await ask(databaseNow)
    // The answer was made between the question and this moment: the middle is the best guess.
    const aheadMs = (askedMs + clock().getTime()) / 2 - now.getTime()
    const found = await ask((from) => readWorkers({ db: from }))
    const outbox = await ask(measureOutbox)
    return { kind: 'up', server, aheadMs, isWritable: await ask(isWritable), ...found, outbox }
  } catch (error) {
    const isNew = isUnknownDatabase(error)
    const reason = isNew ? 'The database is not set up: run "migrate".' : 'The database does not answer.'
    return { kind: 'away', reason: databaseAdvice(error) ?? reason }
  }
}
