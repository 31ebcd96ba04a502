import { expect } from 'chai'
import * as outcomes from '../../../../src/domain/delivery/outcome.ts'
import { NO_STEPS } from '../../../../src/domain/delivery/delivery.ts'
import { madeAttempt } from '../../../support/deliveries.ts'

describe('attempt errors', () => {
  it('are distinct short codes that fit a narrow column', () => {
    expect(new Set(outcomes.ATTEMPT_ERRORS).size).to.equal(outcomes.ATTEMPT_ERRORS.length)
    for (const code of outcomes.ATTEMPT_ERRORS) expect(code).to.match(/^[a-z_]{4,32}$/)
  })
})

describe('an attempt as it is kept', () => {
  const kept = (outcome: outcomes.AttemptOutcome, fields = {}) =>
    outcomes.attemptOf(madeAttempt({ outcome, trigger: 'manual', ...fields }), 3)
  const steps = { ...NO_STEPS, firstByteMs: 9 }

  it('has the status and the body that came, and what was wrong with the body', () => {
    const answer = { kind: 'answered', status: 302, body: 'text', retryAfter: '9', durationMs: 12 } as const
    const none = { responseHeaders: null, location: null, error: null, steps: NO_STEPS }
    const made = { number: 3, startedAt: madeAttempt().startedAt, trigger: 'manual', madeBy: 'workflow' }
    const plain = { ...none, ...made, durationMs: 12, responseCode: 302, responseBody: 'text' }
    expect(NO_STEPS).to.deep.equal({ dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null })
    expect(kept(answer)).to.deep.equal(plain)
    const more = { location: '/elsewhere', error: 'body_cut', steps } as const
    const whole = kept({ ...answer, ...more, headers: '{}' })
    expect(whole).to.deep.equal({ ...plain, ...more, responseHeaders: '{}' })
  })

  it('has no code and no body of an endpoint that was not reached, but the reason, and says when a worker made it', () => {
    const outcome = { kind: 'unreachable', reason: 'tls_error', durationMs: 5_000, steps } as const
    const none = { responseCode: null, responseBody: null }
    expect(kept(outcome)).to.include({ ...none, error: 'tls_error', durationMs: 5_000 })
    const directLease = { rowId: 1, version: 1, owner: 'worker' }
    expect(kept(outcome, { directLease }).madeBy).to.equal('worker')
  })

  it('tells the operator alone that a name which does not resolve leads to a blocked address', () => {
    const name = { kind: 'unreachable', reason: 'dns_error', durationMs: 0 } as const
    const blocked = { ...name, isBlocked: true } as const
    expect(kept(blocked)).to.deep.equal(kept(name))
    expect([blocked, name].map(outcomes.unreachableCause)).to.deep.equal(['blocked_address', 'dns_error'])
    expect(outcomes.unreachableCause(madeAttempt().outcome)).to.equal(undefined)
  })
})
