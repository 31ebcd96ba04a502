import { expect } from 'chai'
import { LINK_LIFETIME_MS, whyLinkEnded } from '../../../../src/domain/user/access-link.ts'
import { checkPassword, checkEmail, normalEmail } from '../../../../src/domain/user/user.ts'
import { evenWaitMs, refusalOfSignIn, SignInRefusal } from '../../../../src/domain/user/sign-in.ts'
import * as sessions from '../../../../src/domain/user/session.ts'

describe('new passwords', () => {
  const check = (password: string) => () => checkPassword(password, (text) => text === 'password123')

  // decision: Common passwords
  it('have 8 characters to 1,024 bytes, of any kind, and are not common ones in whatever case', () => {
    for (const password of ['aaaaaaaa', '        ', 'x'.repeat(64), 'x'.repeat(1_024), 'ü'.repeat(512)])
      expect(check(password), password).not.to.throw()
    const short = expect(check('aaaaaaa')).to.throw('"password" must have at least 8 characters.')
    short.with.property('code', 'VALIDATION_ERROR')
    for (const password of ['x'.repeat(1_025), 'ü'.repeat(513)])
      expect(check(password), password).to.throw(/larger than 1024 bytes/)
    expect(check('PassWord123')).to.throw(/most common/)
  })
})

describe('a sign-in', () => {
  // decision: The time of a refused sign-in
  it('waits after few comparisons for those that were not made, takes an email in any case, and tells us why it was refused, behind the answer', () => {
    expect([evenWaitMs(30, 1, 5), evenWaitMs(60, 2, 5), evenWaitMs(150, 5, 5)]).to.deep.equal([120, 90, 0])
    expect(normalEmail(' Ada@Example.COM\t')).to.equal('ada@example.com')
    const refusal = new SignInRefusal('wrong_code', ['usr_1'])
    expect(refusal).to.deep.include({ reason: 'wrong_code', userIds: ['usr_1'] })
    expect(refusalOfSignIn(new Error('Wrong.', { cause: refusal }))).to.equal(refusal)
    for (const other of [new Error('Wrong.', { cause: 'x' }), refusal])
      expect(refusalOfSignIn(other)).to.equal(undefined)
  })
})

describe('the email of a new user', () => {
  it('is kept as it is looked up, and refused where it is none or longer than 255 characters', () => {
    const longest = `${'x'.repeat(243)}@example.com`
    for (const email of [' Ada@Example.COM\t', 'a@b', longest])
      expect(checkEmail(email)).to.equal(normalEmail(email))
    for (const text of ['', 'a', '@b', 'a@', 'a@b@c', 'a b@c', 'a@b c', 'a\0@b', 'a@b\0', `x${longest}`])
      expect(() => checkEmail(text), text)
        .to.throw('"email" must be an email address.')
        .with.property('code', 'VALIDATION_ERROR')
  })
})

describe('a link with which a person sets a password', () => {
  it('works for 72 hours, and says to whoever has it why it no longer does', () => {
    const made = new Date('2026-01-01T00:00:00.000Z')
    const expiresAt = new Date(made.getTime() + LINK_LIFETIME_MS)
    expect(expiresAt.toISOString()).to.equal('2026-01-04T00:00:00.000Z')
    expect(whyLinkEnded({ endedAs: null, expiresAt }, new Date(expiresAt.getTime() - 1))).to.equal(undefined)
    for (const [endedAs, now, why] of [
      [null, expiresAt, 'This link has expired: ask an admin of the company for a new one.'],
      ['used', made, 'This link was used already: sign in with the password that was set then.'],
      ['revoked', made, 'This link was withdrawn: ask an admin of the company for a new one.'],
      ['replaced', made, 'A newer link was made in place of this one: use that.'],
    ] as const)
      expect(whyLinkEnded({ endedAs, expiresAt }, now), `${endedAs}`).to.equal(why)
  })
})

// decision: Sessions of the console
describe('a session of the console', () => {
  const passwordAt = new Date('2026-01-01T00:00:00.000Z')
  const after = (ms: number) => new Date(passwordAt.getTime() + ms)

  // decision: The password once more
  it('asks for the password again 10 minutes after it was given, ends 12 hours after its use, and never later than its end', () => {
    const given = [599_999, 600_000].map((ms) => sessions.isReauthenticated({ passwordAt, now: after(ms) }))
    expect(given).to.deep.equal([true, false])
    const hourMs = 3_600_000
    expect(sessions.SESSION_LIFETIME_MS, 'seven days').to.equal(168 * hourMs)
    const ends = [168, 1].map((h) => sessions.idleEnd({ now: passwordAt, expiresAt: after(h * hourMs) }))
    expect(ends).to.deep.equal([after(12 * hourMs), after(hourMs)])
  })

  it('permits nothing to a user without the second factor that the company asks for', () => {
    const lacks = (requiresSecondFactor: boolean, hasSecondFactor: boolean) =>
      sessions.lacksSecondFactor({ requiresSecondFactor, user: { hasSecondFactor } } as sessions.Session)
    expect([lacks(true, false), lacks(true, true), lacks(false, false)]).to.deep.equal([true, false, false])
  })

  it('has an id of 32 random bytes, and is stored under its SHA-256', () => {
    const id = sessions.newToken()
    expect([sessions.isToken(id), Buffer.from(id, 'base64url').length]).to.deep.equal([true, 32])
    expect([`${id}x`, `x${id}`, id.slice(1), ''].filter(sessions.isToken)).to.deep.equal([])
    expect(sessions.newToken()).to.not.equal(id)
    const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    expect(sessions.hashToken('abc').toString('hex')).to.equal(sha256)
  })
})

describe('a browser in words', () => {
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
  const apple = 'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18'
  for (const [agent, words] of [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/139.0 Safari/537.36`, 'Chrome on Windows'],
    [`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/139.0 Safari/537.36 Edg/139.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/139.0 Safari/537.36`, 'Chrome on Linux'],
    [`Mozilla/5.0 (Linux; Android 16) ${webkit} Chrome/139.0 Mobile Safari/537.36`, 'Chrome on Android'],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${apple} Safari/605.1.15`, 'Safari on macOS'],
    [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${apple} Safari/604.1`, 'Safari on iPhone'],
    [`Mozilla/5.0 (X11; CrOS x86_64) ${webkit} Chrome/139.0 Safari/537.36 OPR/123.0`, 'Opera on ChromeOS'],
    [`Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) ${apple} Safari/604.1`, 'Safari on iPad'],
    ['curl/8.5.0', 'curl'],
    ['libcurl/8.5.0', 'Unknown browser'],
    ['Something (Windows NT 10.0)', 'A browser on Windows'],
    ['x', 'Unknown browser'],
    [null, 'Unknown browser'],
  ] as const)
    it(words, () => expect(sessions.browserInWords(agent)).to.equal(words))
})
