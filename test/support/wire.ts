/** What clients read of objects. */

const T = '2026-01-05T12:00:00.000Z'

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
