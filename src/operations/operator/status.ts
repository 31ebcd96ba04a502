import { databaseNow } from '../../db/clock.ts'
import { isWritable, readServer } from '../../db/connection/checks.ts'
import { isUnknownDatabase, databaseAdvice } from '../../db/connection/errors.ts'
import { measureOutbox } from '../../db/outbox/figures.ts'
import { listMissingMigrations } from '../../db/schema.ts'
import { findLeaseOwner, listWorkers } from '../../db/workers.ts'
import type { SystemDeps } from '../../deps/deps.ts'
import { within } from '../../domain/within.ts'
import type { Running, Status, Workers } from '../../domain/status.ts'
import { differingAmong } from '../../domain/sealing/settings-fingerprint.ts'

/** Functions that ask Temporal and the api for their state. They never throw; Status says what they return. */
export type Probes = {
  readonly askTemporal: () => Promise<Status['temporal']>
  readonly askApi: () => Promise<Status['api']>
}

/**
 * How long all queries for the status may take together, in milliseconds. Each query has its own limit, but on a slow
 * database, or one that hangs now and then, these limits would add up.
 */
const DATABASE_LIMIT_MS = 5_000

/** The name of the lease whose owner is the leader. */
const LEADERSHIP = 'reconciler'

/** Asks all parts at the same time. A part that is away is shown as such, and nothing is thrown. */
export async function readStatus(deps: SystemDeps, { askTemporal, askApi }: Probes): Promise<Status> {
  const [database, temporal, api] = await Promise.all([lookAtDatabaseInTime(deps), askTemporal(), askApi()])
  const look = { database, temporal, api }
  return { ...look, troubles: findTroubles(look) }
}

/** The workers that the database knows. */
export async function readWorkers({ db }: Pick<SystemDeps, 'db'>): Promise<Workers> {
  return { workers: await listWorkers(db), leaderId: await findLeaseOwner(db, LEADERSHIP) }
}

async function lookAtDatabaseInTime(deps: SystemDeps): Promise<Status['database']> {
  const over = new AbortController()
  return within(DATABASE_LIMIT_MS, lookAtDatabase(deps, over.signal), () => {
    over.abort()
    const reason = `The database is slow: it did not answer within ${DATABASE_LIMIT_MS / 1000} s.`
    return { kind: 'away', reason }
  })
}

/**
 * Asks one question after the other, over one connection. @param over a signal; once it is aborted, no further query
 * begins
 */
async function lookAtDatabase({ db, clock }: SystemDeps, over: AbortSignal): Promise<Status['database']> {
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
    // The database read its clock between the question and this moment, so the middle is the best guess.
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

/** An outbox row that has been due for longer than this is late: a worker normally claims it within 50 ms. */
const LATE_S = 60
/** A larger difference of the clocks is a trouble, and the processes log a warning of it (deps/database-clock.ts). */
const CLOCKS_DIFFER_MS = 1_000

/** Sentences that say what is wrong, the most serious first. */
function findTroubles({ database, temporal, api }: Omit<Status, 'troubles'>): string[] {
  const ofTemporal = temporal === undefined ? ['Temporal does not answer.'] : []
  return [...troublesOf(database), ...ofTemporal, ...troublesOfApi(api)]
}

function troublesOfApi(api: Status['api']): string[] {
  switch (api.kind) {
    case 'away':
      return ['The api does not answer.']
    case 'untrusted':
      return [
        `The certificate of the api at PUBLIC_URL is not trusted here (${api.code}): it must be valid and name the host of PUBLIC_URL. ` +
          'Set NODE_EXTRA_CA_CERTS to the file of the authority that signed it, if that is your own.',
      ]
    case 'answers':
      return api.missing.length > 0 ? [`The api is not ready: ${api.missing.join(', ')}.`] : []
  }
}

function troublesOf(database: Status['database']): string[] {
  switch (database.kind) {
    case 'away':
      return [database.reason]
    case 'unusable':
      return [`The database lacks ${database.missing.join(', ')}: run "migrate".`]
    case 'up':
      return [...(database.isWritable ? [] : ['The database takes no writes.']), ...troublesWithin(database)]
  }
}

function troublesWithin({ workers, outbox, aheadMs }: Running): string[] {
  const live = workers.filter(({ isLive }) => isLive)
  const silent = workers.filter(({ isLive }) => !isLive)
  const versions = [...new Set(live.map(({ version }) => version ?? 'unknown'))].sort()
  const settings = differingAmong(live.flatMap((worker) => worker.settings ?? []))
  const direction = aheadMs > 0 ? 'ahead of' : 'behind'
  return [
    ...(live.length === 0 ? ['No worker lives: nothing is sent.'] : []),
    ...silent.map(({ id, silentMs }) => `${id} has been silent for ${seconds(silentMs)}.`),
    ...(versions.length > 1 ? [`Workers run different versions: ${versions.join(', ')}.`] : []),
    ...(settings.length > 0 ? [`Workers differ in ${settings.join(', ')}.`] : []),
    ...(outbox.oldestSeconds > LATE_S
      ? [`The oldest row of the outbox has been due for ${seconds(outbox.oldestSeconds * 1000)}.`]
      : []),
    ...(Math.abs(aheadMs) > CLOCKS_DIFFER_MS
      ? [`The clock of this machine is ${seconds(Math.abs(aheadMs))} ${direction} that of the database.`]
      : []),
  ]
}

const seconds = (durationMs: number): string => `${Math.round(durationMs / 1000)} s`
