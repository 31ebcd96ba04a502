import { expect } from 'chai'
import { PasswordThrottle } from '../../../src/console/throttle.ts'
import { ApiError } from '../../../src/domain/errors.ts'
import { useConsole, verdictOf } from '../../support/console.ts'
import { refusalOf } from '../../support/refusals.ts'

describe('guessing passwords in the console', () => {
  const its = useConsole({ workers: 0 })

  const wrong = () => Promise.reject(new ApiError('INVALID_CREDENTIALS', 'wrong'))
  const right = () => Promise.resolve('in')

  // decision: Throttled passwords
  it('is not forgotten after the right one, which counts for nothing itself', async () => {
    const { email } = await its.user()
    // In another process, where no password is hashed.
    const [throttle] = processes()
    for (let tries = 0; tries < 4; tries++) await refusalOf(throttle.ofStranger(email, '127.0.0.1', wrong))
    for (let tries = 0; tries < 3; tries++)
      expect(verdictOf(await its.client().signIn(email))).to.equal('200')
    expect(verdictOf(await its.client().signIn(email, 'wrong'))).to.equal('401 INVALID_CREDENTIALS')
    expect(verdictOf(await its.client().signIn(email, 'wrong'))).to.equal('429 RATE_LIMITED')
  })

  /** The throttles of two processes. */
  const processes = () => [new PasswordThrottle(its.deps), new PasswordThrottle(its.deps)] as const
  const waitOf = async (tried: Promise<unknown>) =>
    Number(/wait (\d+) s/.exec(await refusalOf(tried))?.[1] ?? 0)

  // decision: Throttled passwords
  it('is counted over all processes, and the wait doubles over all of them', async () => {
    const [one, other] = processes()
    const from = ['a@example.com', '10.0.0.1'] as const
    const guess = async (throttle: PasswordThrottle) => waitOf(throttle.ofStranger(...from, wrong))
    for (const throttle of [one, other, one, other, one]) expect(await guess(throttle)).to.equal(0)
    for (const throttle of [other, one]) {
      expect(await waitOf(throttle.ofStranger(...from, right))).to.be.within(50, 60)
    }
    // The minute passes; then it is the same in processes that have just begun.
    await its.deps.db('rate_limits').where('key', 'like', 'password:%').delete()
    const [third, fourth] = processes()
    for (const throttle of [third, fourth, third, fourth, third]) expect(await guess(throttle)).to.equal(0)
    expect(await guess(fourth)).to.be.within(110, 120)
    expect(await its.deps.db('rate_limits').where('key', 'like', '%example%')).to.deep.equal([])
  })

  // decision: Throttled passwords
  it('keeps nobody who is signed in from giving their password, and is counted for each session', async () => {
    const [one, other] = processes()
    for (let tries = 0; tries < 21; tries++)
      await refusalOf(one.ofStranger(`b${tries}@x.com`, '10.0.0.2', wrong))
    const [mine, theirs] = [1, 2].map((byte) => ({ idHash: Buffer.alloc(32, byte) }))
    for (const throttle of [one, other, one, other, one]) {
      expect(await refusalOf(throttle.ofSession(mine!, wrong))).to.equal('INVALID_CREDENTIALS: wrong')
    }
    expect(await refusalOf(other.ofSession(mine!, right))).to.match(/^RATE_LIMITED: /)
    expect(await other.ofSession(theirs!, right)).to.equal('in')
  })

  it('is limited too where the password is right, because each check costs a hash, and writes nothing', async () => {
    const [throttle] = processes()
    const rows = () => its.deps.db('rate_limits').orderBy('key')
    const before = await rows()
    let allowed = 0
    for (let tries = 0; tries < 61; tries++) {
      await refusalOf(throttle.ofStranger('c@example.com', '10.0.0.3', () => Promise.resolve(++allowed)))
    }
    expect(allowed).to.be.within(30, 36)
    expect(await rows()).to.deep.equal(before)
  })

  it('is refused for an address after 20 wrong ones of whatever emails', async () => {
    const signIn = async (tries: number) =>
      verdictOf(await its.client().signIn(`nobody${tries}@example.com`, 'wrong'))
    expect(await signIn(0)).to.equal('401 INVALID_CREDENTIALS')
    const [throttle] = processes()
    for (let tries = 1; tries < 20; tries++)
      await refusalOf(throttle.ofStranger(`nobody${tries}@example.com`, '127.0.0.1', wrong))
    expect(await signIn(20)).to.equal('429 RATE_LIMITED')
  })
})
