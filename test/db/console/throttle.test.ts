import { expect } from 'chai'
import { PasswordThrottle } from '../../../src/console/throttle.ts'
import { ApiError } from '../../../src/domain/errors.ts'
import { refusalOf, useOperations } from '../../support/use-operations.ts'

// decision: Throttled passwords
describe('guessing passwords in the console', () => {
  const its = useOperations()

  const wrong = () => Promise.reject(new ApiError('INVALID_CREDENTIALS', 'wrong'))
  const right = () => Promise.resolve('in')
  /** The throttles of two processes. */
  const processes = () => [new PasswordThrottle(its.deps), new PasswordThrottle(its.deps)] as const
  const waitOf = async (tried: Promise<unknown>) =>
    Number(/wait (\d+) s/.exec(await refusalOf(tried))?.[1] ?? 0)

  it('is counted over all processes, and the wait doubles over all of them', async () => {
    const [one, other] = processes()
    const from = ['a@example.com', '10.0.0.1'] as const
    const guess = async (throttle: PasswordThrottle) => waitOf(throttle.ofStranger(...from, wrong))
    for (const throttle of [one, other, one, other, one]) expect(await guess(throttle)).to.equal(0)
    for (const throttle of [other, one])
      expect(await waitOf(throttle.ofStranger(...from, right))).to.be.within(50, 60)
    // After a minute the limit applies anew, also in new processes.
    await its.db('rate_limits').where('key', 'like', 'password:%').delete()
    const [third, fourth] = processes()
    for (const throttle of [third, fourth, third, fourth, third]) expect(await guess(throttle)).to.equal(0)
    expect(await guess(fourth)).to.be.within(110, 120)
    expect(await its.db('rate_limits').where('key', 'like', '%example%')).to.deep.equal([])
  })

  it('is not forgotten after the right one, which counts for nothing itself', async () => {
    const [one, other] = processes()
    const from = ['d@example.com', '10.0.0.4'] as const
    for (let tries = 0; tries < 4; tries++) await refusalOf(one.ofStranger(...from, wrong))
    for (let tries = 0; tries < 3; tries++) expect(await other.ofStranger(...from, right)).to.equal('in')
    expect(await refusalOf(other.ofStranger(...from, wrong))).to.match(/^INVALID_CREDENTIALS/)
    expect(await refusalOf(other.ofStranger(...from, wrong))).to.match(/^RATE_LIMITED/)
  })

  it('is refused for an address after 20 wrong ones of whatever emails, but keeps nobody who is signed in from giving their password', async () => {
    const [one, other] = processes()
    const stranger = (tries: number) => one.ofStranger(`b${tries}@x.com`, '10.0.0.2', wrong)
    for (let tries = 0; tries < 20; tries++) expect(await refusalOf(stranger(tries))).to.match(/^INVALID/)
    expect(await refusalOf(stranger(20))).to.match(/^RATE_LIMITED/)
    const [mine, theirs] = [1, 2].map((byte) => ({ idHash: Buffer.alloc(32, byte) }))
    for (const throttle of [one, other, one, other, one])
      expect(await refusalOf(throttle.ofSession(mine!, wrong))).to.equal('INVALID_CREDENTIALS: wrong')
    expect(await refusalOf(other.ofSession(mine!, right))).to.match(/^RATE_LIMITED: /)
    expect(await other.ofSession(theirs!, right)).to.equal('in')
  })

  it('is limited too where the password is right, because each check costs a hash, and writes nothing', async () => {
    const [throttle] = processes()
    const rows = () => its.db('rate_limits').orderBy('key')
    const before = await rows()
    let allowed = 0
    for (let tries = 0; tries < 61; tries++)
      await refusalOf(throttle.ofStranger('c@example.com', '10.0.0.3', () => Promise.resolve(++allowed)))
    expect(allowed).to.be.within(30, 36)
    expect(await rows()).to.deep.equal(before)
  })
})
