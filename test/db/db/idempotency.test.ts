import { expect } from 'chai'
import {
  holdRequest,
  releaseHold,
  storeAnswer,
  type Hold,
  type IdempotentRequest,
} from '../../../src/db/idempotency.ts'
import { useDatabase } from '../../support/database.ts'
import { newIdempotentRequest } from '../../support/idempotency.ts'
import { until } from '../../support/poll.ts'

const LEASE_MS = 60_000
const ANSWER = { status: 201, sealed: 'sealed' }

describe('claims of idempotent requests', () => {
  const database = useDatabase()

  async function hold(request: IdempotentRequest, holdMs: number): Promise<Hold> {
    const verdict = await until(
      () => holdRequest(database.db, request, holdMs),
      ({ kind }) => kind !== 'running',
    )
    if (verdict.kind !== 'held') throw new Error(`the request is ${verdict.kind}`)
    return verdict.hold
  }

  it('are held by one at a time, until the answer is kept', async () => {
    const request = newIdempotentRequest()
    const first = await hold(request, LEASE_MS)
    expect(await holdRequest(database.db, request, LEASE_MS)).to.deep.equal({ kind: 'running' })
    expect(await storeAnswer(database.db, first, ANSWER)).to.equal(true)
    expect(await holdRequest(database.db, request, LEASE_MS)).to.deep.equal({
      kind: 'answered',
      answerSealed: ANSWER.sealed,
    })
  })

  // decision: The answer of a test event
  it('cannot be answered or released by a holder whose lease ended and whose place is taken', async () => {
    const request = newIdempotentRequest()
    const former = await hold(request, 1)
    const holder = await hold(request, LEASE_MS)
    expect(await storeAnswer(database.db, former, { status: 200, sealed: 'late' })).to.equal(false)
    await releaseHold(database.db, former)
    expect(await holdRequest(database.db, request, LEASE_MS)).to.deep.equal({ kind: 'running' })
    expect(await storeAnswer(database.db, holder, ANSWER)).to.equal(true)
  })

  it('are free again once released, but not once answered', async () => {
    const request = newIdempotentRequest()
    await releaseHold(database.db, await hold(request, LEASE_MS))
    const second = await hold(request, LEASE_MS)
    await storeAnswer(database.db, second, ANSWER)
    await releaseHold(database.db, second)
    expect(await holdRequest(database.db, request, LEASE_MS)).to.have.property('kind', 'answered')
  })
})
