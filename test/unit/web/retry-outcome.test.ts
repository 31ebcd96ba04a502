import { expect } from 'chai'
import { outcomeOfRetry } from '../../../web/src/deliveries/retry-outcome.ts'

const ATTEMPT = {
  number: 7,
  started_at: '2026-01-15T12:00:00.000Z',
  duration_ms: 12,
  response_code: 404,
  error: null,
  trigger: 'manual',
} as never

const delivery = (attempts: number, status: 'pending' | 'retrying' | 'success' | 'failed') => ({
  attempts,
  status,
  max_attempts: 12,
  attempt_log: attempts === 7 ? [ATTEMPT] : [],
})

describe('what came of a retry', () => {
  it('is that it is queued, until there is another attempt', () => {
    expect(outcomeOfRetry(delivery(6, 'retrying'), 6)).to.include({
      color: 'blue',
      title: 'Attempt 7 is queued',
    })
  })

  it('is that it arrived', () => {
    expect(outcomeOfRetry(delivery(7, 'success'), 6)).to.include({ color: 'green', text: 'At attempt 7.' })
  })

  it('is why it failed, and whether another attempt is to come', () => {
    expect(outcomeOfRetry(delivery(7, 'retrying'), 6)).to.deep.equal({
      color: 'red',
      title: 'Attempt 7 failed',
      text: 'The endpoint answered 404 Not Found. The service goes on, up to attempt 12.',
    })
    expect(outcomeOfRetry(delivery(7, 'failed'), 6).text).to.match(/No other is planned\.$/)
  })
})
