import { randomBytes } from 'node:crypto'
import { readConfig } from '../../src/config/index.ts'
import type { SystemDb } from '../../src/db/connection/connection.ts'
import type { SystemDeps } from '../../src/deps/deps.ts'
import { createLog } from '../../src/deps/log.ts'
import { createMetrics } from '../../src/deps/metrics.ts'
import { KnownFilters } from '../../src/domain/webhook/filter/known.ts'
import { lazyTemporalClient } from '../../src/process/temporal/client.ts'
import { createAuthParts, type AuthParts } from '../../src/api/auth/authenticate.ts'

/** What the operations need, on a database of the test's own. No worker lives there, so there is nobody to ring. */
export function testDeps(
  { url, db, batchDb = db }: { readonly url: string; readonly db: SystemDb; readonly batchDb?: SystemDb },
  environment: Record<string, string> = {},
): SystemDeps {
  const config = readConfig({
    DATABASE_URL: url,
    SECRETS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    LOG_LEVEL: 'silent',
    ...environment,
  })
  return {
    config,
    db,
    batchDb,
    publishDb: batchDb,
    temporal: lazyTemporalClient(config),
    log: createLog('test', config.logLevel),
    metrics: createMetrics({ perCompany: config.metricsPerCompany }),
    clock: () => new Date(),
    databaseClock: { now: () => new Date() },
    doorbell: { ring: () => undefined, close: () => undefined },
    feedBell: { ring: () => undefined, close: () => undefined },
    filters: new KnownFilters(),
  }
}

/** What the operations need on the database of a stack, with the settings of its processes. */
export const stackDeps = (
  { environment, db }: { readonly environment: Record<string, string>; readonly db: SystemDb },
  more: Record<string, string> = {},
): SystemDeps => testDeps({ url: environment['DATABASE_URL'] ?? '', db }, { ...environment, ...more })

/** What is needed to describe routes: there is no database behind it. */
export const depsWithoutDatabase = (environment?: Record<string, string>): SystemDeps =>
  testDeps({ url: 'mysql://nobody:none@127.0.0.1/none', db: null as unknown as SystemDb }, environment)

/** Authentication that does not count what keys are used for, so nothing is left to be written when a test ends. */
export const authWithoutUsage = (deps: SystemDeps): AuthParts => ({
  ...createAuthParts(deps),
  usage: { record: () => undefined, recordResponse: () => undefined },
})
