import { expect } from 'chai'
import { isPassword, refuseStrangersIfFull } from '../../../../src/operations/user/password-hash.ts'
import { refusalOf } from '../../../support/use-operations.ts'

describe('checking passwords', () => {
  // decision: Throttled passwords
  it('takes 46 MiB for two strangers at most: those that find too many waiting are refused', async () => {
    let answered = 0
    const flood = Array.from({ length: 60 }, async () => {
      const refusal = await refusalOf(isPassword('strangers', undefined, 'a'))
      if (refusal === 'none') answered++
      return refusal
    })
    await Promise.resolve()
    expect(refuseStrangersIfFull).to.throw('Too many passwords are being checked')
    // A signed-in user never waits for a stranger's password check.
    expect(await isPassword('known', undefined, 'a')).to.equal(false)
    expect(answered).to.be.below(20)
    const refusals = await Promise.all(flood)
    // Two run and 40 wait. On a busy machine some of the waiting ones time out and are refused too.
    expect(refusals.filter((refusal) => refusal.startsWith('RATE_LIMITED: ')).length).to.be.within(18, 58)
    expect(await isPassword('strangers', undefined, 'a')).to.equal(false)
  })
})
