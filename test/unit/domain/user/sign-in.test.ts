import { expect } from 'chai'
import { evenWaitMs, refusalOfSignIn, SignInRefusal } from '../../../../src/domain/user/sign-in.ts'
import { normalEmail } from '../../../../src/domain/user/user.ts'

describe('a sign-in', () => {
  // decision: The time of a refused sign-in
  it('waits after few comparisons for those that were not made, by the time of those that were', () => {
    expect(evenWaitMs(30, 1, 5)).to.equal(120)
    expect(evenWaitMs(60, 2, 5)).to.equal(90)
    expect(evenWaitMs(150, 5, 5)).to.equal(0)
  })

  it('tells us why it was refused, behind the answer', () => {
    const refusal = new SignInRefusal('wrong_code', ['usr_1'])
    expect(refusal).to.deep.include({ reason: 'wrong_code', userIds: ['usr_1'] })
    expect(refusalOfSignIn(new Error('Wrong.', { cause: refusal }))).to.equal(refusal)
    for (const other of [new Error('Wrong.', { cause: 'x' }), refusal])
      expect(refusalOfSignIn(other)).to.equal(undefined)
  })

  it('takes an email in any case, with blanks around it', () => {
    expect(normalEmail(' Ada@Example.COM\t')).to.equal('ada@example.com')
  })
})
