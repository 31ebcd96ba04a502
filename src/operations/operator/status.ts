import { databaseNow } from '../../db/clock.ts'
import { isWritable, readServer } from '../../db/connection/checks.ts'
import { isUnknownDatabase, databaseAdvice } from '../../db/connection/errors.ts'
import { measureOutbox } from '../../db/outbox/figures.ts'
import { listMissingMigrations } from '../../db/schema.ts'
import { findLeaseOwner, listWorkers } from '../../db/workers.ts'
import type { SystemDeps } from '../../deps/deps.ts'
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
  const [workers, leaderId] = await Promise.all([listWorkers(db), findLeaseOwner(db, LEADERSHIP)])
  return { workers, leaderId }
}

async function lookAtDatabaseInTime(deps: SystemDeps): Promise<Look['database']> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Look['database']>((resolve) => {
    const reason = `The database is slow: it did not answer within ${DATABASE_LIMIT_MS / 1000} s.`
    timer = setTimeout(() => resolve({ kind: 'away', reason }), DATABASE_LIMIT_MS)
  })
  return Promise.race([lookAtDatabase(deps), late]).finally(() => clearTimeout(timer))
}

async function lookAtDatabase({ db, clock }: SystemDeps): Promise<Look['database']> {
  try {
    const server = await readServer(db)
    const missing = await listMissingMigrations(db)
    if (missing.length > 0) return { kind: 'unusable', server, missing }
    const askedMs = clock().getTime()
    const now = await databaseNow(db)
    // The answer was made between the question and this moment: the middle is the best guess.
    const aheadMs = (askedMs + clock().getTime()) / 2 - now.getTime()
    const found = await readWorkers({ db })
    const outbox = await measureOutbox(db)
    return { kind: 'up', server, aheadMs, isWritable: await isWritable(db), ...found, outbox }
  } catch (error) {
    const isNew = isUnknownDatabase(error)
    const reason = isNew ? 'The database is not set up: run "migrate".' : 'The database does not answer.'
    return { kind: 'away', reason: databaseAdvice(error) ?? reason }
  }
}
