import { expect } from 'chai'
import { readConfig } from '../../../src/config/index.ts'
import { workerWarnings } from '../../../src/config/warnings.ts'

const warningsOf = (environment: Record<string, string>): string[] =>
  workerWarnings(
    readConfig({
      DATABASE_URL: 'mysql://user:password@127.0.0.1:3306/sales_data',
      SECRETS_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
      ...environment,
    }),
  )

describe('what a worker warns of at boot', () => {
  // decision: Delays under 1 s
  it('is a retry delay under 1 s, which Temporal makes longer, a grace period that attempts may outlast, and networks that are exempt from the guard', () => {
    for (const schedule of ['100ms', '5s,999ms']) {
      const [warning, ...others] = warningsOf({ WEBHOOK_RETRY_SCHEDULE: schedule })
      expect(others).to.deep.equal([])
      expect(warning).to.include('WEBHOOK_RETRY_SCHEDULE').and.include('history.timerProcessorMaxTimeShift')
    }
    for (const nothing of [{}, { WEBHOOK_RETRY_SCHEDULE: '1s,5m' }])
      expect(warningsOf(nothing)).to.deep.equal([])
    const warnings = warningsOf({ SHUTDOWN_GRACE: '15s', WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8' })
    expect(warnings).to.have.length(2)
    expect(warnings[0]).to.include('SHUTDOWN_GRACE')
    expect(warnings[1]).to.include('WEBHOOK_ALLOWED_NETWORKS')
  })
})
