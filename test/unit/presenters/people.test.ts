import { expect } from 'chai'
import type { Session } from '../../../src/domain/user/session.ts'
import type { User } from '../../../src/domain/user/user.ts'
import { HEALTHY } from '../../../src/domain/webhook/health.ts'
import { presentRotation } from '../../../src/presenters/api-keys.ts'
import * as console from '../../../src/presenters/console.ts'
import * as operator from '../../../src/presenters/operator.ts'
import { delivery } from '../../support/deliveries.ts'
import * as wire from '../../support/wire.ts'

const { AT, T, WIRE_KEY, WIRE_WEBHOOK } = wire

const NAMED = { id: 'usr_1', email: 'ada@example.com', name: 'Ada', role: 'member' } as const
const USER: User = {
  ...NAMED,
  companyId: 'com_1',
  leftAt: null,
  passwordHash: 'hash',
  allowedScopes: ['write:deals'],
  createdAt: AT,
}
const WIRE_USER = { ...NAMED, allowed_scopes: ['write:deals'] }

describe('keys as people see them', () => {
  const { usage } = WIRE_KEY
  const named = { key: wire.KEY, state: 'in_rotation', usage, userName: 'Ada', replaces: null } as const

  it('never show the key, except in the answer that issues it', () => {
    const shown = { ...WIRE_KEY, user_name: 'Ada', replaces: null }
    expect(console.presentNamedKey(named)).to.deep.equal(shown)
    expect(console.presentNewKey(named, 'the key')).to.deep.equal({ ...shown, key: 'the key' })
    const other = { ...wire.KEY, expiresAt: null, revokedAt: AT, lastUsedAt: null }
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
    const rotation = presentRotation({ id: 'key_2' }, 'the key', { id: 'key_1', expiresAt: AT })
    expect(rotation).to.deep.equal({ id: 'key_2', key: 'the key', ...old })
    expect(console.presentEndOfKey({ oldKeyId: 'key_1', oldExpiresAt: AT })).to.deep.equal(old)
  })

  it('show of an allowlist what is wrong with each line', () => {
    const faults = [{ line: 2, text: 'x', message: 'Wrong.' }]
    const review = { entries: ['::1'], faults }
    expect(console.presentReview({ ...review, isAllowed: null })).to.deep.equal({ ...review, allowed: null })
  })
})

describe('the session of the console', () => {
  const session: Session = {
    idHash: Buffer.alloc(32),
    user: { ...USER, hasSecondFactor: true, secondFactorLockedAt: AT },
    companyName: 'Acme',
    companySuspendedAt: null,
    seenAt: AT,
    passwordAt: AT,
    expiresAt: new Date('2026-01-12T12:00Z'),
    now: AT,
  }
  const scopes = [{ name: 'read:all', description: 'Read.' }]
  const settings = console.presentSettings({
    scopes,
    gracesMs: { '1h': 3_600_000 },
    retryScheduleMs: [5_000],
    servicePrefix: 'salesdata',
    publicUrl: 'https://a',
    temporalUiUrl: undefined,
    temporalNamespace: 'default',
  })

  it('tells who is signed in, what they may do, and until when', () => {
    expect(settings).to.deep.equal({
      scopes,
      rotation_graces: [{ name: '1h', seconds: 3_600 }],
      retry_schedule: [5],
      key_prefix: 'salesdata',
      public_url: 'https://a',
      temporal_ui_url: null,
      temporal_namespace: 'default',
    })
    const [environments, permissions, grantableScopes] = [['live'], ['keys.read'], ['read:all']]
    const common = { address: '10.0.0.1', environments, permissions }
    const signedIn = { ...common, csrfToken: 'csrf', session, recoveryCodesLeft: 9, grantableScopes }
    expect(console.presentSession(signedIn, settings)).to.deep.equal({
      ...common,
      state: 'signed_in',
      csrf_token: 'csrf',
      grantable_scopes: grantableScopes,
      settings,
      user: { ...WIRE_USER, totp_enabled: true, totp_locked_at: T, recovery_codes_left: 9 },
      company: { id: 'com_1', name: 'Acme', suspended_at: null },
      reauthenticated_until: '2026-01-05T12:10:00.000Z',
      expires_at: '2026-01-12T12:00:00.000Z',
      idle_expires_at: '2026-01-06T00:00:00.000Z',
    })
    const suspended = { ...signedIn, session: { ...session, companySuspendedAt: AT } }
    expect(console.presentSession(suspended, settings).company.suspended_at).to.equal(T)
  })

  it('is asked for, and the company with it where there are several', () => {
    const signedOut = { state: 'signed_out', csrf_token: 'csrf', address: '10.0.0.1' }
    expect(console.presentSignedOut('csrf', '10.0.0.1')).to.deep.equal(signedOut)
    const companies = [{ id: 'com_1', name: 'Acme' }]
    expect(console.presentCompanyChoice(companies)).to.deep.equal({ state: 'choose_company', companies })
  })

  it('shows users without their password, and changes with who made them', () => {
    const shown = { ...WIRE_USER, totp_enabled: true, totp_locked_at: T, created_at: T, is_self: true }
    expect(console.presentUser(session.user, 'usr_1')).to.deep.equal(shown)
    expect(console.presentUser(session.user, 'usr_2').is_self).to.equal(false)
    const common = { action: 'key.revoke', details: { a: 1 } }
    const entry = { ...common, at: AT, targetId: 'key_1', actor: { id: 'usr_1' }, actorName: 'Ada' }
    const change = { ...common, at: T, target_id: 'key_1', actor: { id: 'usr_1', name: 'Ada' }, ip: null }
    expect(console.presentHistoryEntry(entry)).to.deep.equal(change)
    const fromThere = operator.presentAuditEntry({ ...entry, actor: { id: 'usr_1', ip: '::1' } })
    expect(fromThere).to.deep.equal({ ...change, actor: 'usr_1', ip: '::1' })
  })
})

describe('what the operator sees', () => {
  const environment = 'live'
  const webhook = { isActive: true, isSuspended: false, holdsFirstAttempts: false }
  const row = delivery({ attempts: 1, responseCode: 500, status: 'retrying' })
  const overview = { environment, webhook, delivery: { ...row, payload: null, error: null } } as const

  it('are deliveries with their environment, and why they have not arrived', () => {
    const shown = { id: 'del_1', environment, why: 'http_500' }
    const listed = operator.presentOverview(overview)
    expect(listed).to.deep.include({ ...shown, last_result: 'http_500' })
    const owned = operator.presentOwnedDelivery(overview, 'com_1', [])
    expect(owned).to.deep.include({ ...shown, company_id: 'com_1', attempt_log: [] })
    const body = Buffer.from('{}')
    const event = { id: 'evt_1', type: 'deal.created', createdAt: AT, deliveries: 1, body, fingerprint: body }
    const read = operator.presentEvent(event, environment, [overview])
    expect(read).to.deep.include({ id: 'evt_1', environment, event: 'deal.created', deliveries: [listed] })
  })

  it('are webhooks with more of their health, and without the values of their headers', () => {
    const { WEBHOOK: webhook, COUNTERS: counters } = wire
    const shown = { webhook, headers: { 'x-a': 'hunter2' }, counters, environment } as const
    const health = { ...HEALTHY, probeAt: AT, pausedUntil: AT, warnedAt: AT }
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
    const company = { id: 'com_1', name: 'Acme', createdAt: AT }
    const shown = { id: 'com_1', name: 'Acme', created_at: T }
    for (const suspendedAt of [null, AT]) {
      const suspended_at = suspendedAt && T
      expect(operator.presentCompany({ ...company, suspendedAt })).to.deep.equal({ ...shown, suspended_at })
    }
    const changed = operator.presentChangedUser({
      ...{ user: { ...USER, secondFactorLockedAt: null }, disabledKeys: 2 },
    })
    expect(changed).to.deep.equal({ ...WIRE_USER, totp_locked_at: null, created_at: T, disabled_keys: 2 })
    const recovery = operator.presentOwnedRecovery({ companyId: 'com_1', environment }, wire.RECOVERY)
    expect(recovery).to.deep.equal({ ...wire.WIRE_RECOVERY, company_id: 'com_1', environment })
  })

  it('are how many sealed texts were read and sealed again', () => {
    const [one, two, three] = [1, 2, 3].map((n) => ({ read: n, resealed: n * 10 })) as never[]
    const counts = { firstKeyId: 'k2', webhooks: one!, answers: two!, secondFactors: three! }
    expect(operator.presentReseal(counts)).to.deep.equal({
      first_key: 'k2',
      webhooks: one,
      kept_answers: two,
      second_factors: three,
    })
  })
})
