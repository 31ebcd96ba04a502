import { expect } from 'chai'
import * as contract from '../../../src/workflows/contract.ts'
import { classify } from '../../../src/workflows/round.ts'

describe('a failure that Temporal keeps', () => {
  const { DELIVERY_FAILED, FAILED_ATTEMPT, isFailureOf } = contract
  const message = 'http_500 after 6 attempts'
  const failure = contract.failureOf(DELIVERY_FAILED, { message, nonRetryable: true })

  it('has a type and a message, does not show our code, and is recognised by its type when it comes from a workflow’s thread', () => {
    expect(failure).to.include({ type: 'DeliveryFailed', message })
    expect(failure.stack).to.not.match(/\n|\//)
    // An error that crossed a thread has lost its custom fields.
    const received: unknown = structuredClone(failure)
    expect((received as { type?: string }).type).to.equal(undefined)
    expect(isFailureOf(DELIVERY_FAILED, received)).to.equal(true)
    expect(isFailureOf(FAILED_ATTEMPT, received)).to.equal(false)
    const others = [new Error('DeliveryFailed'), new TypeError('DeliveryFailed: x'), 'text', undefined]
    for (const other of others) expect(isFailureOf(DELIVERY_FAILED, other)).to.equal(false)
  })
})

describe('what an attempt throws in a workflow', () => {
  // decision: A workflow's first attempt is a local activity
  it('is a fault of ours, after which the run goes on, also as a local activity throws it, or fails the task when it is a mistake in the workflow', () => {
    expect(classify(contract.ownFault({ nonRetryable: true }))).to.equal('fault')
    expect(() => classify(new TypeError('x is undefined'))).to.throw(TypeError)
  })
})
