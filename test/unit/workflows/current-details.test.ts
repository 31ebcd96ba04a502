import { expect } from 'chai'
import * as current from '../../../src/workflows/current-details.ts'

const NOW_MS = Date.parse('2026-01-31T12:00:00.000Z')
const FORMER = { state: 'open' as const, remaining: 4, retrySeq: 0, waitMs: 0, isParked: false }
const view = { ...FORMER, attempts: 2, lastResult: 'http_503' }
const KNOWN = ['Attempts before: 2', 'Latest result: `http_503`']

describe('the current details of a delivery in Temporal', () => {
  const lines = (text: string): string[] => text.split('\n\n')

  it('say what an open delivery does, and the result of its latest attempt', () => {
    const [sending, ...known] = lines(current.openDetails(view, NOW_MS))
    expect(sending).to.match(/^\*\*Sending\*\*: attempts 3 to 6 of the delivery\./)
    expect(known).to.deep.equal(KNOWN)
    const [parked] = lines(current.openDetails({ ...view, isParked: true }, NOW_MS))
    expect(parked).to.include('its webhook is inactive')
  })

  it('say when the next attempt is due, until when a run pauses, and how a delivery ended', () => {
    const at = '2026-01-31T12:01:30.000Z'
    const waiting = `**Waiting** for its next attempt, due at ${at}.`
    expect(lines(current.openDetails({ ...view, waitMs: 90_000 }, NOW_MS))).to.deep.equal([waiting, ...KNOWN])
    for (const details of [current.deferredDetails, current.faultDetails]) {
      const [first, ...known] = lines(details(view, NOW_MS + 90_000))
      expect(first).to.include(`until ${at}`).and.include('spends no attempt')
      expect(known).to.deep.equal(KNOWN)
    }
    expect(current.closedDetails({ ending: 'success' })).to.equal('**Delivered**')
    expect(current.closedDetails({ ending: 'cancelled' })).to.include('deleted')
    expect(current.closedDetails({ ending: 'failed', reason: 'http_500' })).to.equal('**Failed**: `http_500`')
  })

  it('count attempts as the API does, and leave out what the runs of former releases do not know', () => {
    const attempts = (run: typeof FORMER) =>
      [4, 1].map((remaining) => current.attemptsOf({ ...run, remaining }))
    expect(attempts(view)).to.deep.equal(['attempts 3 to 6 of the delivery', 'attempt 3 of the delivery'])
    expect(lines(current.openDetails(FORMER, NOW_MS))).to.have.length(1)
    expect(attempts(FORMER)).to.deep.equal(['up to 4 attempts', 'one attempt'])
  })
})
