import { expect } from 'chai'
import { isProbablyOurFault, NONE_COUNTED, withFailure } from '../../../../src/domain/webhook/long-failure.ts'

const at = (time: string) => new Date(`2026-01-${time}:00.000Z`)

describe('failures that count towards a deactivation', () => {
  // decision: Endpoints that fail for days
  it('are counted with the days on which they happened, in UTC', () => {
    const times = [at('05T10:00'), at('05T23:59'), at('06T00:00'), at('06T00:01'), at('09T12:00')]
    expect(times.reduce(withFailure, NONE_COUNTED)).to.deep.equal({
      ...{ since: at('05T10:00'), latestAt: at('09T12:00'), attempts: 5, days: 3 },
    })
  })

  // decision: When most endpoints fail
  it('are probably our own fault when more than half of four endpoints or more fail', () => {
    const verdict = (attempted: number, failing: number) => isProbablyOurFault({ attempted, failing })
    expect([verdict(0, 0), verdict(1, 1), verdict(3, 3)]).to.deep.equal([false, false, false])
    expect([verdict(4, 2), verdict(4, 3), verdict(1000, 500), verdict(1000, 501)]).to.deep.equal([
      ...[false, true, false, true],
    ])
  })
})
