import { setTimeout as delay } from 'node:timers/promises'
import type { SystemDeps } from '../deps/deps.ts'
import type { Config } from '../config/index.ts'
import { isLoopbackHost } from '../domain/net/host-port.ts'
import { isAnswering, keepsEveryCommit } from '../db/connection/checks.ts'
import type { Db, SystemDb } from '../db/connection/connection.ts'
import { databaseAdvice } from '../db/connection/errors.ts'
import { doublingPause } from '../domain/doubling.ts'
import { within } from '../domain/within.ts'
import { insertCanaries, isKeyInUse, listCanaries } from '../db/sealing/sealing-keys.ts'
import { opensCanary, sealCanary, type Canary, type KeyRing } from '../domain/sealing/sealing.ts'
import { listMissingMigrations } from '../db/schema.ts'
import type { Log } from '../deps/log.ts'

/** How long a process waits for a part that is not ready before it gives up. */
const BOOT_LIMIT_MS = 60_000
const PAUSE_MS = { first: 500, longest: 3_000 }
/** Time limit of one try: a part that accepts connections but does not answer is not ready. */
const TRY_LIMIT_MS = 10_000

/** What an api or a worker is started with, whether it has its own process or shares one with others. */
export type RunOptions = {
  readonly config: Config
  readonly log: Log
  /** Called when the process begins work. From then on a stop must wait until that work has ended. */
  readonly onBooted?: () => void
  /** The directory of the files that the build makes; by default the directory of the running module. */
  readonly buildDir?: string
}

type Limits = { readonly limitMs?: number; readonly tryLimitMs?: number }

/**
 * Calls `attempt` until it succeeds, by default for a minute, with growing pauses and one log line per failure.
 *
 * @throws Error that names the part; its cause is the error of the last try
 */
export async function waitFor<T>(
  part: string,
  log: Log,
  attempt: () => Promise<T>,
  { limitMs = BOOT_LIMIT_MS, tryLimitMs = TRY_LIMIT_MS }: Limits = {},
): Promise<T> {
  const startedMs = performance.now()
  for (let tries = 1; ; tries++) {
    try {
      return await within(tryLimitMs, attempt(), () => {
        throw new Error(`no answer within ${tryLimitMs} ms`)
      })
    } catch (error) {
      const waitedMs = performance.now() - startedMs
      if (waitedMs > limitMs) {
        const advice = error instanceof NotReady ? `: ${error.message}` : ''
        const waitedS = Math.round(waitedMs / 1000)
        throw new Error(`${part} was not there for ${waitedS} s${advice}`, { cause: error })
      }
      log.warn({ err: error, tries }, `${part} is not there yet`)
      await delay(doublingPause(PAUSE_MS, tries - 1))
    }
  }
}

/** A part that answers but cannot be used as it is. The message tells operators what to do. */
class NotReady extends Error {
  override readonly name = 'NotReady'
}

/**
 * Waits for the database and its tables, and checks that the key ring opens what they contain. Warns of a database that
 * may lose commits, or that is reached without TLS.
 *
 * @throws Error that names the part that is not ready, or SECRETS_KEYS
 */
export async function waitForDatabase({ db, batchDb, config, log }: SystemDeps): Promise<void> {
  await waitFor('the database', log, () => expectAnswer(db))
  await waitFor('the migrated database', log, () => expectMigrated(db))
  const fault = await waitFor('the database', log, () => findSecretsKeysFault(db, config.secretsKeys))
  if (fault !== undefined) throw new Error(fault)
  if (!(await waitFor('the database', log, () => keepsEveryCommit(db)))) {
    log.warn(
      'innodb_flush_log_at_trx_commit of the database is not 1: what was accepted in the last second is lost when its machine crashes',
    )
  }
  // Connects now, so that the first request does not wait for the connection.
  await waitFor('the database', log, () => expectAnswer(batchDb))
  if (config.databaseTls === undefined && !isLoopbackHost(new URL(config.databaseUrl).hostname)) {
    log.warn('DATABASE_TLS=off: everything goes to the database and back in clear')
  }
}

async function expectAnswer(db: Db): Promise<void> {
  try {
    await isAnswering(db)
  } catch (error) {
    const advice = databaseAdvice(error)
    throw advice === undefined ? error : new NotReady(advice, { cause: error })
  }
}

async function expectMigrated(db: Db): Promise<void> {
  const missing = await listMissingMigrations(db)
  if (missing.length === 0) return
  throw new NotReady(`the database lacks ${missing.join(', ')}: run "npm run cli -- migrate"`)
}

/**
 * Finds what is wrong with the key ring for this database. A key may differ from the key that the database knows by the
 * same id. Or a key under which secrets are sealed may be missing. Adds a canary for each key that is new to the
 * database. So when processes with different keys start on an empty database, all but the first get an error.
 *
 * @returns one line that names the variable and no key bytes; undefined when everything can be opened
 */
export async function findSecretsKeysFault(db: SystemDb, ring: KeyRing): Promise<string | undefined> {
  const known = await listCanaries(db)
  const fault = falseKeyFault(ring, known) ?? (await missingKeyFault(db, ring, known))
  const added = [...ring.keys.keys()].filter((id) => !known.some(({ keyId }) => keyId === id)).sort()
  if (fault !== undefined || added.length === 0) return fault
  const canaries = added.map((id) => sealCanary(ring, id))
  await insertCanaries(db, canaries)
  return falseKeyFault(ring, await listCanaries(db))
}

function falseKeyFault(ring: KeyRing, known: readonly Canary[]): string | undefined {
  const wrong = known.find((canary) => ring.keys.has(canary.keyId) && !opensCanary(ring, canary))
  return wrong && `SECRETS_KEYS: the key "${wrong.keyId}" is not the one that this database knows by that id`
}

async function missingKeyFault(db: SystemDb, ring: KeyRing, known: readonly Canary[]) {
  for (const { keyId } of known.filter((canary) => !ring.keys.has(canary.keyId))) {
    if (await isKeyInUse(db, keyId))
      return `SECRETS_KEYS lacks the key "${keyId}", under which secrets are sealed`
  }
  return undefined
}
