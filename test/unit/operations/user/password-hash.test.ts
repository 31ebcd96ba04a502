import { expect } from 'chai'
import { isPassword } from '../../../../src/operations/user/password-hash.ts'
import { refusalOf } from '../../../support/refusals.ts'

describe('checking passwords', () => {
  // decision: Throttled passwords
  it('takes 46 MiB for two at most: those that find too many waiting are refused', async () => {
    const refusals = await Promise.all(
      Array.from({ length: 60 }, () => refusalOf(isPassword(undefined, 'a'))),
    )
    // Two run and 40 wait; on a busy machine some of these are refused as well, once they waited for too long.
    expect(refusals.filter((refusal) => refusal.startsWith('RATE_LIMITED: ')).length).to.be.within(18, 58)
    expect(await isPassword(undefined, 'a')).to.equal(false)
  })
})
