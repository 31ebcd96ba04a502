import { createHash } from 'node:crypto'
import { expect } from 'chai'
import * as factor from '../../../../src/domain/user/second-factor.ts'

/** RFC 6238, appendix B: the secret `12345678901234567890` in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('codes of an authenticator app', () => {
  const at = (seconds: number) => new Date(seconds * 1_000)

  // RFC 6238, appendix B: the last six of its eight digits.
  it('are those of RFC 6238', () => {
    const codes = { 59: '287082', 1111111109: '081804', 1234567890: '005924', 20000000000: '353130' }
    for (const [seconds, code] of Object.entries(codes))
      expect(factor.stepOfCode(SECRET, code, at(+seconds), null), code).to.equal(Math.floor(+seconds / 30))
  })

  it('have six digits, with or without blanks, and count a step early and late and no further', () => {
    const times = [1_111_111_049, 1_111_111_050, 1_111_111_109, 1_111_111_139, 1_111_111_140]
    const steps = times.map((seconds) => factor.stepOfCode(SECRET, '081 804', at(seconds), null))
    const step = 37_037_036
    expect(steps).to.deep.equal([undefined, step, step, step, undefined])
    expect(factor.stepOfCode(SECRET, '287083', at(59), null)).to.equal(undefined)
    const codes = ['081804', ' 081 804 ', '08180', '0818040', 'x081804', '08180a', '']
    expect(codes.filter(factor.isTotpCode)).to.deep.equal(['081804', ' 081 804 '])
  })

  // decision: The second factor
  it('serve once, and none before the latest that was used', () => {
    expect(factor.stepOfCode(SECRET, '287082', at(59), 0)).to.equal(1)
    for (const lastStep of [1, 2])
      expect(factor.stepOfCode(SECRET, '287082', at(59), lastStep)).to.equal(undefined)
  })

  it('have recovery codes of 80 random bits, every letter alike, that are told apart without case and dashes', () => {
    const codes = factor.newRecoveryCodes()
    expect(new Set(codes)).to.have.property('size', 10)
    for (const code of codes) expect(code).to.match(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
    const sha256 = createHash('sha256').update('abcd2345efgh6723').digest()
    for (const spelling of ['abcd-2345-efgh-6723', 'ABCD 2345 EFGH 6723', ' abcd2345 -efgh6723\n'])
      expect(factor.hashRecoveryCode(spelling), spelling).to.deep.equal(sha256)
    const counts = new Map<string, number>()
    const text = Array.from({ length: 200 }, factor.newRecoveryCodes).flat().join('').replaceAll('-', '')
    for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    // The expected count of each is 1,000. A difference of 200 is more than six standard deviations.
    for (const letter of 'abcdefghijklmnopqrstuvwxyz234567')
      expect(counts.get(letter), letter).to.be.within(800, 1_200)
  })

  it('come from a secret of 160 random bits, which the app reads together with our name and the account', () => {
    const secrets = Array.from({ length: 20 }, factor.newTotpSecret)
    for (const secret of secrets) expect(secret).to.match(/^[A-Z2-7]{32}$/)
    expect(new Set(secrets).size).to.equal(20)
    const url = new URL(factor.otpauthUrl(SECRET, 'ada@example.com'))
    const [place, account] = [`${url.protocol}//${url.host}`, decodeURIComponent(url.pathname)]
    expect(place + account).to.equal('otpauth://totp/Sales Data Webhooks:ada@example.com')
    const query = `issuer,Sales Data Webhooks secret,${SECRET} algorithm,SHA1 digits,6 period,30`
    expect([...url.searchParams].join(' ')).to.equal(query)
  })
})
