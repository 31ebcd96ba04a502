import { expect } from 'chai'
import type { ApiKey } from '../../../src/domain/key/key.ts'
import type { Session } from '../../../src/domain/user/session.ts'
import type { User } from '../../../src/domain/user/user.ts'
import { HEALTHY } from '../../../src/domain/webhook/health.ts'
import { presentRotation } from '../../../src/presenters/api-keys.ts'
import * as console from '../../../src/presenters/console.ts'
import * as operator from '../../../src/presenters/operator.ts'
import { delivery } from '../../support/deliveries.ts'
import { AT, COUNTERS, RECOVERY, T, WEBHOOK, WIRE_RECOVERY, WIRE_WEBHOOK } from '../../support/wire.ts'

const KEY: ApiKey = {
  id: 'key_1',
  companyId: 'com_1',
  environment: 'live',
  userId: 'usr_1',
  name: 'Key',
  description: null,
  prefix: 'salesdata_live_abcdefghi',
  scopes: ['read:all'],
  type: 'Personal',
  isActive: true,
  ipAllowlist: ['10.0.0.0/8'],
  expiresAt: AT,
  revokedAt: null,
  revokedReason: null,
  rotatedTo: 'key_2',
  createdAt: AT,
  lastUsedAt: AT,
  lastUsedIp: '10.0.0.1',
  requestCount: 9,
}
const WIRE_KEY = {
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
const USER = {
  id: 'usr_1',
  companyId: 'com_1',
  email: 'ada@example.com',
  name: 'Ada',
  role: 'member',
  leftAt: null,
  passwordHash: 'hash',
  allowedScopes: ['write:deals'],
  createdAt: AT,
} satisfies User
const WIRE_USER = { id: 'usr_1', email: 'ada@example.com', name: 'Ada', role: 'member' }

describe('keys as people see them', () => {
  const { usage } = WIRE_KEY
  const named = { key: KEY, state: 'in_rotation', usage, userName: 'Ada', replaces: null } as const

  it('never show the key, except in the answer that issues it', () => {
    const shown = { ...WIRE_KEY, user_name: 'Ada', replaces: null }
    expect(console.presentNamedKey(named)).to.deep.equal(shown)
    expect(console.presentNewKey(named, 'the key')).to.deep.equal({ ...shown, key: 'the key' })
    const other = { ...KEY, expiresAt: null, revokedAt: AT, lastUsedAt: null }
    const replaces = { id: 'key_0', expiresAt: AT }
    expect(console.presentNamedKey({ ...named, key: other, replaces })).to.deep.equal({
      ...shown,
      expires_at: null,
      revoked_at: T,
      last_used_at: null,
      replaces: { id: 'key_0', expires_at: T },
    })
  })

  it('say of a rotation when the old key ends', () => {
    const old = { old_key_id: 'key_1', old_expires_at: T }
    expect(presentRotation({ id: 'key_2' }, 'the key', { id: 'key_1', expiresAt: AT })).to.deep.equal({
      id: 'key_2',
      key: 'the key',
      ...old,
    })
    expect(console.presentEndOfKey({ oldKeyId: 'key_1', oldExpiresAt: AT })).to.deep.equal(old)
  })

  it('show of an allowlist what is wrong with each line', () => {
    const faults = [{ line: 2, text: 'x', message: 'Wrong.' }]
    expect(console.presentReview({ entries: ['::1'], faults, isAllowed: null })).to.deep.equal({
      allowed: null,
      entries: ['::1'],
      faults,
    })
  })
})

describe('the session of the console', () => {
  const session: Session = {
    idHash: Buffer.alloc(32),
    user: { ...USER, hasSecondFactor: true },
    companyName: 'Acme',
    companySuspendedAt: null,
    seenAt: AT,
    passwordAt: AT,
    expiresAt: new Date('2026-01-12T12:00Z'),
    now: AT,
  }
  const settings = console.presentSettings({
    scopes: [{ name: 'read:all', description: 'Read.' }],
    gracesMs: { '1h': 3_600_000 },
    retryScheduleMs: [5_000],
    servicePrefix: 'salesdata',
    publicUrl: 'https://a',
    temporalUiUrl: undefined,
    temporalNamespace: 'default',
  })

  it('tells who is signed in, what they may do, and until when', () => {
    expect(settings).to.deep.equal({
      scopes: [{ name: 'read:all', description: 'Read.' }],
      rotation_graces: [{ name: '1h', seconds: 3_600 }],
      retry_schedule: [5],
      key_prefix: 'salesdata',
      public_url: 'https://a',
      temporal_ui_url: null,
      temporal_namespace: 'default',
    })
    const signedIn = {
      csrfToken: 'csrf',
      address: '10.0.0.1',
      session,
      recoveryCodesLeft: 9,
      permissions: ['keys.read'],
      grantableScopes: ['read:all'],
      environments: ['live'],
    }
    const shown = {
      state: 'signed_in',
      csrf_token: 'csrf',
      address: '10.0.0.1',
      permissions: ['keys.read'],
      grantable_scopes: ['read:all'],
      environments: ['live'],
      settings,
      user: { ...WIRE_USER, allowed_scopes: ['write:deals'], totp_enabled: true, recovery_codes_left: 9 },
      company: { id: 'com_1', name: 'Acme', suspended_at: null },
      reauthenticated_until: '2026-01-05T12:10:00.000Z',
      expires_at: '2026-01-12T12:00:00.000Z',
      idle_expires_at: '2026-01-06T00:00:00.000Z',
    }
    expect(console.presentSession(signedIn, settings)).to.deep.equal(shown)
    const suspended = { ...signedIn, session: { ...session, companySuspendedAt: AT } }
    expect(console.presentSession(suspended, settings).company.suspended_at).to.equal(T)
  })

  it('is asked for, and the company with it where there are several', () => {
    expect(console.presentSignedOut('csrf', '10.0.0.1')).to.deep.equal({
      state: 'signed_out',
      csrf_token: 'csrf',
      address: '10.0.0.1',
    })
    const companies = [{ id: 'com_1', name: 'Acme' }]
    expect(console.presentCompanyChoice(companies)).to.deep.equal({ state: 'choose_company', companies })
  })

  it('shows users without their password, and changes with who made them', () => {
    expect(console.presentUser(session.user, 'usr_1')).to.deep.equal({
      ...WIRE_USER,
      allowed_scopes: ['write:deals'],
      totp_enabled: true,
      created_at: T,
      is_self: true,
    })
    expect(console.presentUser(session.user, 'usr_2').is_self).to.equal(false)
    const entry = {
      at: AT,
      actor: { id: 'usr_1' },
      action: 'key.revoke',
      targetId: 'key_1',
      details: { a: 1 },
    }
    const shown = { at: T, action: 'key.revoke', target_id: 'key_1', details: { a: 1 } }
    expect(console.presentHistoryEntry({ ...entry, actorName: 'Ada' })).to.deep.equal({
      ...shown,
      actor: { id: 'usr_1', name: 'Ada' },
      ip: null,
    })
    const fromThere = { ...entry, actor: { id: 'usr_1', ip: '::1' } }
    expect(operator.presentAuditEntry(fromThere)).to.deep.equal({ ...shown, actor: 'usr_1', ip: '::1' })
  })
})

describe('what the operator sees', () => {
  const environment = 'live'
  const overview = {
    environment,
    webhook: { isActive: true, isSuspended: false, holdsFirstAttempts: false },
    delivery: {
      ...delivery({ attempts: 1, responseCode: 500, status: 'retrying' }),
      payload: null,
      error: null,
    },
  } as const

  it('are deliveries with their environment, and why they have not arrived', () => {
    const why = { environment, why: 'http_500' }
    expect(operator.presentOverview(overview)).to.deep.include({
      id: 'del_1',
      ...why,
      last_result: 'http_500',
    })
    expect(operator.presentOwnedDelivery(overview, 'com_1', [])).to.deep.include({
      id: 'del_1',
      company_id: 'com_1',
      ...why,
      attempt_log: [],
    })
    const body = Buffer.from('{}')
    const event = { id: 'evt_1', type: 'deal.created', createdAt: AT, deliveries: 1, body, fingerprint: body }
    expect(operator.presentEvent(event, environment, [overview])).to.deep.include({
      id: 'evt_1',
      environment,
      event: 'deal.created',
      deliveries: [operator.presentOverview(overview)],
    })
  })

  it('are webhooks with more of their health, and without the values of their headers', () => {
    const health = { ...HEALTHY, probeAt: AT, pausedUntil: AT, warnedAt: AT }
    const shown = {
      webhook: WEBHOOK,
      headers: { 'x-a': 'hunter2' },
      counters: COUNTERS,
      environment,
    } as const
    const more = { first_attempts_held: true, next_attempt_at: T, paused_until: T, warned_at: T }
    expect(operator.presentOwnedWebhook({ ...shown, health, holdsFirstAttempts: true })).to.deep.equal({
      ...WIRE_WEBHOOK,
      environment,
      headers: { 'x-a': '(hidden)' },
      health: { ...WIRE_WEBHOOK.health, ...more },
    })
    const well = operator.presentOwnedWebhook({ ...shown, health: HEALTHY, holdsFirstAttempts: false })
    expect(well.health).to.deep.include({ next_attempt_at: null, paused_until: null, warned_at: null })
  })

  it('are companies, members and recoveries', () => {
    const company = { id: 'com_1', name: 'Acme', createdAt: AT, suspendedAt: null }
    const shown = { id: 'com_1', name: 'Acme', created_at: T, suspended_at: null }
    expect(operator.presentCompany(company)).to.deep.equal(shown)
    expect(operator.presentCompany({ ...company, suspendedAt: AT })).to.deep.equal({
      ...shown,
      suspended_at: T,
    })
    expect(operator.presentChangedUser({ user: USER, disabledKeys: 2 })).to.deep.equal({
      ...WIRE_USER,
      created_at: T,
      allowed_scopes: ['write:deals'],
      disabled_keys: 2,
    })
    const tenant = { companyId: 'com_1', environment } as const
    expect(operator.presentOwnedRecovery(tenant, RECOVERY)).to.deep.equal({
      company_id: 'com_1',
      environment,
      ...WIRE_RECOVERY,
    })
  })

  it('are how many sealed texts were read and sealed again', () => {
    const [webhooks, answers, secondFactors] = [1, 2, 3].map((n) => ({
      read: n,
      resealed: n * 10,
    })) as never[]
    const counts = { firstKeyId: 'k2', webhooks: webhooks!, answers: answers!, secondFactors: secondFactors! }
    expect(operator.presentReseal(counts)).to.deep.equal({
      first_key: 'k2',
      webhooks: { read: 1, resealed: 10 },
      kept_answers: { read: 2, resealed: 20 },
      second_factors: { read: 3, resealed: 30 },
    })
  })
})
