import { expect } from 'chai'
import { hashRecoveryCode, newRecoveryCodes, stepOfCode } from '../../../../src/domain/user/second-factor.ts'

/** RFC 6238, appendix B: the secret `12345678901234567890` in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('codes of an authenticator app', () => {
  const at = (seconds: number) => new Date(seconds * 1_000)

  // RFC 6238, appendix B, the last six of its eight digits.
  it('are those of RFC 6238', () => {
    for (const [seconds, code] of [
      [59, '287082'],
      [1_111_111_109, '081804'],
      [1_234_567_890, '005924'],
      [20_000_000_000, '353130'],
    ] as const) {
      expect(stepOfCode(SECRET, code, at(seconds), null), code).to.equal(Math.floor(seconds / 30))
    }
  })

  it('count a step early and late, with blanks, and no further', () => {
    for (const [seconds, isRight] of [
      [1_111_111_049, false],
      [1_111_111_050, true],
      [1_111_111_109, true],
      [1_111_111_139, true],
      [1_111_111_140, false],
    ] as const) {
      expect(stepOfCode(SECRET, '081 804', at(seconds), null) !== undefined, `${seconds}`).to.equal(isRight)
    }
    expect(stepOfCode(SECRET, '287083', at(59), null)).to.equal(undefined)
  })

  // decision: The second factor
  it('serve once, and none before the latest that was used', () => {
    expect(stepOfCode(SECRET, '287082', at(59), 0)).to.equal(1)
    for (const lastStep of [1, 2]) expect(stepOfCode(SECRET, '287082', at(59), lastStep)).to.equal(undefined)
  })

  it('have recovery codes that differ, and are told apart without case and dashes', () => {
    const codes = newRecoveryCodes()
    expect(new Set(codes)).to.have.property('size', 10)
    const [code = ''] = codes
    expect(hashRecoveryCode(code.toUpperCase().replaceAll('-', ' '))).to.deep.equal(hashRecoveryCode(code))
  })
})
