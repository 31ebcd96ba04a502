import { expect } from 'chai'
import * as sessions from '../../../../src/domain/user/session.ts'

describe('a session of the console', () => {
  const passwordAt = new Date('2026-01-01T00:00:00.000Z')
  const after = (ms: number) => new Date(passwordAt.getTime() + ms)

  // decision: The password once more
  it('asks for the password again 10 minutes after it was given, and not a moment before', () => {
    expect(sessions.isReauthenticated({ passwordAt, now: after(600_000 - 1) })).to.equal(true)
    expect(sessions.isReauthenticated({ passwordAt, now: after(600_000) })).to.equal(false)
  })

  // decision: Sessions of the console
  it('ends 12 hours after its use, and never later than its end', () => {
    const hourMs = 3_600_000
    expect(sessions.SESSION_LIFETIME_MS, 'seven days').to.equal(168 * hourMs)
    expect(sessions.idleEnd({ now: passwordAt, expiresAt: after(168 * hourMs) })).to.deep.equal(
      after(12 * hourMs),
    )
    expect(sessions.idleEnd({ now: passwordAt, expiresAt: after(hourMs) })).to.deep.equal(after(hourMs))
  })

  // decision: Sessions of the console
  it('has an id of 32 random bytes, and is stored under its SHA-256', () => {
    const id = sessions.newSessionId()
    expect([sessions.isSessionId(id), Buffer.from(id, 'base64url').length]).to.deep.equal([true, 32])
    expect([`${id}x`, `x${id}`, id.slice(1), ''].filter(sessions.isSessionId)).to.deep.equal([])
    expect(sessions.newSessionId()).to.not.equal(id)
    expect(sessions.hashSessionId('abc').toString('hex')).to.equal(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })
})
