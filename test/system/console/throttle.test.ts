import { expect } from 'chai'
import { PasswordThrottle } from '../../../src/console/throttle.ts'
import { ApiError } from '../../../src/domain/errors.ts'
import { SignInRefusal } from '../../../src/domain/user/sign-in.ts'
import { useConsole, verdictOf } from '../../support/console.ts'
import { refusalOf } from '../../support/refusals.ts'

describe('guessing passwords in the console', () => {
  const its = useConsole({ workers: 0 })

  // decision: Throttled passwords
  it('is refused after 5 wrong ones for an email, known or not, and the right one waits too', async () => {
    const { email } = await its.user()
    for (const guessed of [email, 'nobody@example.com']) {
      const client = its.client()
      const verdicts: string[] = []
      for (let tries = 0; tries < 6; tries++) verdicts.push(verdictOf(await client.signIn(guessed, 'wrong')))
      expect(verdicts).to.deep.equal([
        ...Array<string>(5).fill('401 INVALID_CREDENTIALS'),
        '429 RATE_LIMITED',
      ])
    }
    const right = await its.client().signIn(email)
    expect(verdictOf(right)).to.equal('429 RATE_LIMITED')
    expect(Number(right.headers.get('retry-after'))).to.be.within(50, 60)
  })

  // decision: Throttled passwords
  it('is not forgotten after the right one, which counts for nothing itself', async () => {
    const { email } = await its.user()
    for (let tries = 0; tries < 4; tries++) await its.client().signIn(email, 'wrong')
    for (let tries = 0; tries < 3; tries++)
      expect(verdictOf(await its.client().signIn(email))).to.equal('200')
    expect(verdictOf(await its.client().signIn(email, 'wrong'))).to.equal('401 INVALID_CREDENTIALS')
    expect(verdictOf(await its.client().signIn(email, 'wrong'))).to.equal('429 RATE_LIMITED')
  })

  const wrongCode = () => {
    const cause = new SignInRefusal('wrong_code', ['usr_1'])
    return Promise.reject(new ApiError('INVALID_CREDENTIALS', 'wrong', { cause }))
  }

  // decision: Throttled passwords
  it('ends after 10 wrong codes of a user, also of those that are tried at once, and of no other user', async () => {
    const { guardCode } = new PasswordThrottle()
    await guardCode('usr_1', () => Promise.resolve())
    const verdicts = await Promise.all(
      Array.from({ length: 12 }, () => refusalOf(guardCode('usr_1', wrongCode))),
    )
    expect(verdicts.filter((verdict) => verdict === 'INVALID_CREDENTIALS: wrong')).to.have.length(10)
    expect(verdicts.filter((verdict) => verdict.startsWith('RATE_LIMITED: '))).to.have.length(2)
    expect(await guardCode('usr_2', () => Promise.resolve('in'))).to.equal('in')
  })

  // decision: Throttled passwords
  it('leaves the password of a user whose codes were guessed to its owner', async () => {
    const throttle = new PasswordThrottle()
    for (let tries = 0; tries < 11; tries++) await refusalOf(throttle.guardCode('usr_1', wrongCode))
    expect(await throttle.run('a@example.com', '10.0.0.1', () => Promise.resolve('changed'))).to.equal(
      'changed',
    )
  })

  it('is limited too where the password is right, because each check costs a hash', async () => {
    const throttle = new PasswordThrottle()
    let allowed = 0
    const attempt = () =>
      refusalOf(throttle.run('a@example.com', '10.0.0.1', () => Promise.resolve(++allowed)))
    await attempt().catch(() => undefined)
    for (let tries = 0; tries < 60; tries++) await attempt().catch(() => undefined)
    expect(allowed).to.be.within(30, 36)
  })

  it('is refused for an address after 20 wrong ones of whatever emails', async () => {
    let last = ''
    for (let tries = 0; tries < 30 && !last.startsWith('429'); tries++) {
      last = verdictOf(await its.client().signIn(`nobody${tries}@example.com`, 'wrong'))
    }
    expect(last).to.equal('429 RATE_LIMITED')
  })
})
