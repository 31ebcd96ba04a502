/** Types of parameters that say whose rows a query is about, as a `companyId` among the parameters does. */
export const CARRIERS = [
  ...['Tenant', 'Company', 'User', 'AccessLink', 'ApiKey', 'AuditEntry', 'DeliveryScope'],
  ...['IdempotentRequest', 'NoticeReader', 'NewPublishes', 'QuotaOfMinute', 'SubscriberQuery'],
]

/** No other room may import these. */
export const PART = 'a part of the queries of src/db, which add whose rows they mean'

/** By reason and by file below src/db/. */
const QUERIES = {
  'reads and writes no row of a tenant': {
    'clock.ts': 'databaseNow fromNow',
    'schema.ts': 'applyMissing listMissingMigrations isMigrated',
    'workers.ts': 'countLiveWorkers',
    'event/feed.ts': 'listFeedListeners noteFeedListener removeFeedListener',
    'mail/mails.ts': 'countMailTo',
    'notice/channels.ts': 'dueAfterPause dueIfPending dueUnlessTested',
  },
  'of webhooks that the caller has found or locked under their tenant; the rows name no tenant': {
    'webhook/counters.ts': 'addToCounters',
    'webhook/health-rows.ts': 'changeHealth deleteHealth',
    'webhook/pauses.ts': 'notePause deletePauses listPauses listLatestPauses',
    'recovery/window.ts': 'countFailed',
  },
  'of a user whom the caller has found or locked under the company; the rows name no company': {
    'user/totp-rows.ts': 'replaceRecoveryCodes useRecoveryCode countRecoveryCodes',
  },
  'of keys that the caller has read of their company': { 'key/usage-rows.ts': 'listDailyUsage' },
  'a Hold is what holdRequest gave to the company': { 'idempotency.ts': 'storeAnswer releaseHold' },
  [PART]: {
    'list-places.ts': 'findPlaces',
    'search-places.ts': 'searchPlaces',
    'webhook/counters.ts': 'sumCounters',
    'key/rows.ts': 'listFoundKeys',
    'delivery/deliveries.ts': 'selectDeliveries',
    'recovery/rows.ts': 'selectRecoveries',
  },
}

/**
 * The exported queries below src/db/ that take neither a tenant nor a SystemDb, each with the reason. The rule
 * `house/system-db` (system-db-rule.mjs) refuses any other one, and an entry that is no exception any more.
 */
export const EXCEPTIONS = Object.entries(QUERIES).flatMap(([why, byFile]) =>
  Object.entries(byFile).map(([file, queries]) => ({ file, queries, why })),
)
