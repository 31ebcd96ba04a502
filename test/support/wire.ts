import { camelCased } from '../../src/domain/fields/case.ts'
import type { ApiKey } from '../../src/domain/key/key.ts'
import type { Recovery } from '../../src/domain/recovery/recovery.ts'
import type { Webhook, WebhookCounters } from '../../src/domain/webhook/webhook.ts'

/** What clients read of objects, and the objects as the rules know them. */

export const AT = new Date('2026-01-05T12:00:00.000Z')
export const T = '2026-01-05T12:00:00.000Z'

export const WIRE_WEBHOOK = {
  id: 'whk_1',
  name: 'Hook',
  description: null,
  url: 'https://example.com/',
  events: ['contact.created'],
  is_active: true,
  headers: { 'x-a': 'b' },
  max_retries: 5,
  deactivated_reason: null,
  total_deliveries: 9,
  successful_deliveries: 6,
  failed_deliveries: 1,
  last_triggered_at: T,
  health: {
    state: 'healthy',
    failing_since: null,
    consecutive_failures: 0,
    last_success_at: T,
    last_error: null,
    waiting: 2,
  },
  created_at: T,
  updated_at: T,
}

export const WIRE_RECOVERY = {
  id: 'rec_1',
  webhook_id: 'whk_1',
  recovers: 'failed',
  status: 'running',
  stopped_reason: null,
  waits_for: null,
  total: 7,
  queued: 3,
  since: T,
  until: T,
  created_at: T,
  ended_at: null,
}

export const WIRE_KEY = {
  id: 'key_1',
  environment: 'live',
  user_id: 'usr_1',
  name: 'Key',
  description: null,
  state: 'in_rotation',
  prefix: 'salesdata_live_abcdefghi',
  scopes: ['read:all'],
  type: 'Personal',
  is_active: true,
  ip_allowlist: ['10.0.0.0/8'],
  expires_at: T,
  revoked_at: null,
  rotated_to: 'key_2',
  created_at: T,
  last_used_at: T,
  last_used_ip: '10.0.0.1',
  request_count: 9,
  usage: { day: 1, week: 2, month: 3, daily: [{ date: '2026-01-05', requests: 1 }] },
}

/** The fields behind those that are shown: names as in the code, and times as dates. */
const behind = (shown: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(camelCased(shown)).map(([name, value]) => [name, value === T ? AT : value]),
  )

export const WEBHOOK = {
  ...behind(WIRE_WEBHOOK),
  headersSealed: null,
  retrySchedule: null,
  version: 1,
} as unknown as Webhook

export const COUNTERS = {
  ...behind(WIRE_WEBHOOK),
  waiting: 2,
  lastSuccessAt: AT,
} as unknown as WebhookCounters

export const RECOVERY = { ...behind(WIRE_RECOVERY), kind: 'failed', state: 'running' } as unknown as Recovery

export const KEY = { ...behind(WIRE_KEY), companyId: 'com_1', revokedReason: null } as unknown as ApiKey
