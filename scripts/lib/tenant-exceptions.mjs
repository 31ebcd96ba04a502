/** Types that carry whose rows a query is about, besides every `companyId` that a parameter writes out. */
export const CARRIERS = [
  ...[
    'Tenant',
    'Company',
    'User',
    'AccessLink',
    'ApiKey',
    'AuditEntry',
    'DeliveryScope',
    'IdempotentRequest',
    'NoticeReader',
  ],
  ...['NewPublishes', 'QuotaOfMinute', 'SubscriberQuery'],
]

const NOBODYS = 'reads and writes no row of a tenant'
const OF_WEBHOOK =
  'of webhooks that the caller has found or locked under their tenant; the rows name no tenant'
const OF_USER = 'of a user whom the caller has found or locked under the company; the rows name no company'
/** No other room may import these. */
export const PART = 'a part of the queries of src/db, which add whose rows they mean'

/**
 * The exported queries below src/db/ that take neither a tenant nor a SystemDb, each with the reason. The rule
 * `house/system-db` (system-db-rule.mjs) refuses any other one, and an entry that is no exception any more.
 */
export const EXCEPTIONS = [
  { file: 'clock.ts', queries: 'databaseNow fromNow', why: NOBODYS },
  { file: 'schema.ts', queries: 'applyMissing listMissingMigrations isMigrated', why: NOBODYS },
  { file: 'workers.ts', queries: 'countLiveWorkers', why: NOBODYS },
  { file: 'event/feed.ts', queries: 'listFeedListeners noteFeedListener removeFeedListener', why: NOBODYS },
  { file: 'mail/mails.ts', queries: 'countMailTo', why: NOBODYS },
  { file: 'webhook/counters.ts', queries: 'addToCounters', why: OF_WEBHOOK },
  { file: 'webhook/health-rows.ts', queries: 'changeHealth deleteHealth', why: OF_WEBHOOK },
  {
    file: 'webhook/pauses.ts',
    queries: 'notePause deletePauses listPauses listLatestPauses',
    why: OF_WEBHOOK,
  },
  { file: 'recovery/window.ts', queries: 'countFailed', why: OF_WEBHOOK },
  {
    file: 'user/totp-rows.ts',
    queries: 'replaceRecoveryCodes useRecoveryCode countRecoveryCodes',
    why: OF_USER,
  },
  {
    file: 'key/usage-rows.ts',
    queries: 'listDailyUsage',
    why: 'of keys that the caller has read of their company',
  },
  {
    file: 'idempotency.ts',
    queries: 'storeAnswer releaseHold',
    why: 'a Hold is what holdRequest gave to the company',
  },
  { file: 'list-places.ts', queries: 'findPlaces', why: PART },
  { file: 'search-places.ts', queries: 'searchPlaces', why: PART },
  { file: 'webhook/counters.ts', queries: 'sumCounters', why: PART },
  { file: 'key/rows.ts', queries: 'selectFoundKeys', why: PART },
  { file: 'delivery/deliveries.ts', queries: 'selectDeliveries', why: PART },
  { file: 'recovery/rows.ts', queries: 'selectRecoveries', why: PART },
]
