import type { Knex } from 'knex'
import { accounts } from './001-accounts.ts'
import { webhooks } from './002-webhooks.ts'
import { deliveries } from './003-deliveries.ts'
import { operation } from './004-operation.ts'
import { sealingKeys } from './005-sealing-keys.ts'
import { redirectLocations } from './006-redirect-locations.ts'
import { workerSettings } from './007-worker-settings.ts'
import { resourceCounters } from './008-resource-counters.ts'
import { formerRows } from './009-former-rows.ts'
import { directAttempts } from './010-direct-attempts.ts'
import { webhookHealth } from './011-webhook-health.ts'
import { deliveryLists } from './012-delivery-lists.ts'
import { attemptDetails } from './013-attempt-details.ts'
import { statsAndHealth } from './014-stats-and-health.ts'
import { notices } from './015-notices.ts'
import { consoleTables } from './016-console.ts'
import { resend } from './017-resend.ts'
import { recoveries } from './018-recoveries.ts'
import { webhookPauses } from './019-webhook-pauses.ts'
import { companySuspension } from './020-company-suspension.ts'
import { limits } from './021-limits.ts'
import { recoveryTurns } from './022-recovery-turns.ts'
import { signIn } from './023-sign-in.ts'
import { companyRequests } from './024-company-requests.ts'
import { upkeep } from './025-upkeep.ts'
import { revisions } from './026-revisions.ts'
import { feed } from './027-feed.ts'
import { filters } from './028-filters.ts'
import { recordsById } from './029-records-by-id.ts'
import { publishers } from './030-publishers.ts'
import { mails } from './031-mails.ts'
import { auditFilters } from './032-audit-filters.ts'
import { traces } from './033-traces.ts'
import { search } from './034-search.ts'
import { people } from './035-people.ts'
import { noticeChannels } from './036-notice-channels.ts'
import { keyUse } from './037-key-use.ts'
import { channelChanges } from './038-channel-changes.ts'
import { noticeMarks } from './039-notice-marks.ts'
import { runSteps, type Migration, type StepOptions } from './migration.ts'

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
  limits,
  recoveryTurns,
  signIn,
  companyRequests,
  upkeep,
  revisions,
  feed,
  filters,
  recordsById,
  publishers,
  mails,
  auditFilters,
  traces,
  search,
  people,
  noticeChannels,
  keyUse,
  channelChanges,
  noticeMarks,
]

/** The names of all migrations of this version, oldest first. */
export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map(({ name }) => name)

/**
 * Gives knex an explicit list in place of a folder. From a folder, knex would record file names with their extension.
 * If a service then ran from `.js` files, knex would call the database corrupt, because it was migrated from `.ts`
 * files.
 */
export const migrationSource = (options?: StepOptions): Knex.MigrationSource<Migration> => ({
  getMigrations: () => Promise.resolve([...MIGRATIONS]),
  getMigrationName: (migration) => migration.name,
  getMigration: (migration) =>
    Promise.resolve({
      up: (knex) => runSteps(knex, migration, 'up', options),
      down: (knex) => runSteps(knex, migration, 'down', options),
      // On MySQL and MariaDB each change of the schema commits by itself, so a transaction would protect nothing.
      config: { transaction: false },
    }),
})
