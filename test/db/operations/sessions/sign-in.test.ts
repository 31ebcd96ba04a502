import { expect } from 'chai'
import { signIn } from '../../../../src/operations/sessions/sign-in.ts'
import { isPassword } from '../../../../src/operations/user/password-hash.ts'
import { createKeyring } from '../../../support/keyring.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('a sign-in that is refused', () => {
  const its = useOperations()

  const spentMs = async (work: () => Promise<unknown>): Promise<number> => {
    const startedMs = performance.now()
    await work()
    return performance.now() - startedMs
  }
  const compare = () => isPassword(undefined, 'wrong')
  const attempt = async (email: string): Promise<void> => {
    const refusal = await refusalOf(signIn(its.deps, { email, password: 'wrong' }, {}))
    expect(refusal).to.equal('INVALID_CREDENTIALS: The email, the password or the code is wrong.')
  }

  /** How many comparisons made just before and after it a refused sign-in takes: the median, for a machine that is busy now and then. */
  async function comparisonsOf(email: string): Promise<number> {
    const ratios: number[] = []
    for (let round = 0; round < 7; round++) {
      const beforeMs = await spentMs(compare)
      const signInMs = await spentMs(() => attempt(email))
      ratios.push(signInMs / ((beforeMs + (await spentMs(compare))) / 2))
    }
    return ratios.sort((a, b) => a - b)[3] ?? 0
  }

  // decision: The time of a refused sign-in
  it('takes as long as five comparisons, for an unknown email and for one with a membership or with four', async () => {
    await its.keyring.user('one@example.com')
    for (let company = 0; company < 4; company++) {
      await (await createKeyring(its.deps)).user('four@example.com')
    }
    for (const email of ['unknown@example.com', 'one@example.com', 'four@example.com']) {
      expect(await comparisonsOf(email), email).to.be.above(2.5)
    }
  })
})
