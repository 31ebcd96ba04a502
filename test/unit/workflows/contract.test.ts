import { expect } from 'chai'
import { DELIVERY_FAILED, FAILED_ATTEMPT, failureOf, isFailureOf } from '../../../src/workflows/contract.ts'

describe('a failure that Temporal keeps', () => {
  const failure = failureOf(DELIVERY_FAILED, { message: 'http_500 after 6 attempts', nonRetryable: true })

  it('has a type and a message, does not show our code, and is recognised by its type when it comes from a workflow’s thread', () => {
    expect(failure).to.include({ type: 'DeliveryFailed', message: 'http_500 after 6 attempts' })
    expect(failure.stack).to.not.match(/\n|\//)
    // An error that comes from a thread has lost its own fields.
    const received: unknown = structuredClone(failure)
    expect((received as { type?: string }).type).to.equal(undefined)
    expect(isFailureOf(DELIVERY_FAILED, received)).to.equal(true)
    expect(isFailureOf(FAILED_ATTEMPT, received)).to.equal(false)
    const others = [new Error('DeliveryFailed'), new TypeError('DeliveryFailed: x'), 'text', undefined]
    for (const other of others) {
      expect(isFailureOf(DELIVERY_FAILED, other)).to.equal(false)
    }
  })
})
