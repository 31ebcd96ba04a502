import type { Knex } from 'knex'
import { accounts } from './001-accounts.js'
import { webhooks } from './002-webhooks.js'
import { deliveries } from './003-deliveries.js'
import { operation } from './004-operation.js'
import { sealingKeys } from './005-sealing-keys.js'
import { redirectLocations } from './006-redirect-locations.js'
import { workerSettings } from './007-worker-settings.js'
import { resourceCounters } from './008-resource-counters.js'
import { formerRows } from './009-former-rows.js'
import { directAttempts } from './010-direct-attempts.js'
import { webhookHealth } from './011-webhook-health.js'
import { deliveryLists } from './012-delivery-lists.js'
import { attemptDetails } from './013-attempt-details.js'
import { statsAndHealth } from './014-stats-and-health.js'
import { notices } from './015-notices.js'
import { consoleTables } from './016-console.js'
import { resend } from './017-resend.js'
import { recoveries } from './018-recoveries.js'
import { webhookPauses } from './019-webhook-pauses.js'
import { companySuspension } from './020-company-suspension.js'
import { drop, type Migration } from './migration.js'

const MIGRATIONS: readonly Migration[] = [
  accounts,
  webhooks,
  deliveries,
  operation,
  sealingKeys,
  redirectLocations,
  workerSettings,
  resourceCounters,
  formerRows,
  directAttempts,
  webhookHealth,
  deliveryLists,
  attemptDetails,
  statsAndHealth,
  notices,
  consoleTables,
  resend,
  recoveries,
  webhookPauses,
  companySuspension,
]

/** The names of all migrations of this version, oldest first. */
export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map(({ name }) => name)

/**
 * An explicit list in place of a folder: knex would record file names with their extension. Then it would call a
 * database that was migrated from `.ts` corrupt when it runs from `.js`.
 */
export const migrationSource: Knex.MigrationSource<Migration> = {
  getMigrations: () => Promise.resolve([...MIGRATIONS]),
  getMigrationName: (migration) => migration.name,
  getMigration: (migration) =>
    Promise.resolve({
      up: async (knex) => {
        await runAll(knex, migration.up)
        await migration.data?.(knex)
      },
      down: (knex) => runAll(knex, migration.down.map(drop)),
      // DDL commits implicitly on both servers, so a transaction would protect nothing.
      config: { transaction: false },
    }),
}

async function runAll(knex: Knex, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await knex.raw(statement)
}
