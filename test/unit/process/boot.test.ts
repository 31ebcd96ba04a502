import { expect } from 'chai'
import { waitFor } from '../../../src/process/boot.ts'
import { createLog } from '../../../src/process/log.ts'

const log = createLog('test', 'silent')

describe('waiting for a part at boot', () => {
  it('goes on as soon as the part is there', async () => {
    let tries = 0
    const attempt = () => (++tries < 3 ? Promise.reject(new Error('not yet')) : Promise.resolve('there'))
    expect(await waitFor('the database', log, attempt)).to.equal('there')
    expect(tries).to.equal(3)
  })

  const failureOf = (attempt: () => Promise<unknown>) =>
    waitFor('the database', log, attempt, { limitMs: 300, tryLimitMs: 200 }).then(
      () => undefined,
      (error: unknown) => error as Error,
    )

  it('gives up in time, naming the part and the last failure', async () => {
    const refusal = new Error('connection refused')
    const failure = await failureOf(() => Promise.reject(refusal))
    expect(failure?.message).to.match(/^the database was not there for \d+ s$/)
    expect(failure?.cause).to.equal(refusal)
  })

  it('gives up on a part that takes the call and never answers', async () => {
    const failure = await failureOf(() => new Promise(() => undefined))
    expect(failure?.message).to.match(/^the database was not there/)
    expect(failure?.cause).to.have.property('message', 'no answer within 200 ms')
  })
})
