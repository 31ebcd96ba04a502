import { expect } from 'chai'
import { ATTEMPT_ERRORS, type AttemptOutcome } from '../../../../src/domain/delivery/outcome.ts'
import * as stats from '../../../../src/domain/webhook/stats.ts'

const answered = (status: number, durationMs = 1) =>
  ({ kind: 'answered', status, body: '', retryAfter: undefined, durationMs }) satisfies AttemptOutcome
const figuresOf = (...outcomes: AttemptOutcome[]): stats.AttemptFigures =>
  outcomes.reduce<stats.AttemptFigures>(stats.withAttempt, stats.NO_FIGURES)
const lasting = (...durations: number[]) => figuresOf(...durations.map((ms) => answered(200, ms)))

describe('figures of attempts', () => {
  // decision: Statistics of attempts
  it('count each attempt in one class, in one bucket, and under its error if it got no answer', () => {
    const unreachable = { kind: 'unreachable', durationMs: 10_001 } as const
    const unanswered = stats.NO_ANSWER_ERRORS.map((reason) => ({ ...unreachable, reason }))
    const answers = [200, 204, 301, 404, 500, 999].map((status) => answered(status))
    const figures = figuresOf(...answers, ...unanswered)
    expect(figures.byClass).to.deep.equal({ '2xx': 2, '3xx': 1, '4xx': 1, '5xx': 2, none: 8 })
    expect(Object.values(figures.byError)).to.deep.equal(stats.NO_ANSWER_ERRORS.map(() => 1))
    expect(figures.byDuration).to.deep.equal([6, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0])
    expect(stats.attemptsIn(figures)).to.equal(14)
  })

  it('know every reason for which there is no answer, and leave an error out that is about the body of an answer', () => {
    const aboutBodies = ATTEMPT_ERRORS.filter((code) => code.startsWith('body_'))
    expect([...stats.NO_ANSWER_ERRORS, ...aboutBodies]).to.have.members([...ATTEMPT_ERRORS])
    const figures = figuresOf({ ...answered(500), error: 'body_cut' })
    expect(Object.values(figures.byError)).to.deep.equal(stats.NO_ANSWER_ERRORS.map(() => 0))
  })

  // decision: Percentiles of durations
  it('give percentiles inside of their bucket, and none without attempts', () => {
    expect(stats.percentileMs(stats.NO_FIGURES, 50)).to.equal(null)
    const hundred = lasting(...Array<number>(94).fill(20), ...Array<number>(5).fill(300), 700_000)
    expect([50, 95, 99].map((percent) => stats.percentileMs(hundred, percent))).to.deep.equal([11, 260, 500])
    expect(stats.percentileMs(hundred, 99.5)).to.equal(600_000)
    expect(stats.percentileMs(lasting(21), 50)).to.equal(50)
    for (const bound of stats.DURATION_BOUNDS_MS)
      expect(stats.percentileMs(lasting(bound), 99)).to.equal(bound)
  })

  it('are those of all when they are added up', () => {
    const [one, other] = [figuresOf(answered(200), answered(500)), figuresOf(answered(200, 999))]
    const all = figuresOf(answered(200), answered(500), answered(200, 999))
    expect(stats.addFigures(one, other)).to.deep.equal(all)
  })
})

describe('the statistics of a window', () => {
  const now = new Date('2026-03-01T10:20:00.000Z')
  /** One attempt in each of these hours. */
  const inHours = (...hours: string[]) =>
    hours.map((hour) => ({ startsAt: new Date(`${hour}:00:00.000Z`), figures: lasting(1) }))

  // decision: Windows of statistics
  it('begin with a whole hour or a whole day in UTC, and end with the present one', () => {
    const begins = (['24h', '7d', '30d'] as const).map((window) => stats.windowStart(window, now).getTime())
    const expected = ['2026-02-28T11:00:00Z', '2026-02-23T00:00:00Z', '2026-01-31T00:00:00Z']
    expect(begins).to.deep.equal(expected.map(Date.parse))
    expect(stats.DEFAULT_STATS_WINDOW).to.equal('24h')
  })

  it('have every hour, oldest first, also those without attempts, and the totals of all', () => {
    const entries = inHours('2026-03-01T10', '2026-02-28T11', '2026-03-01T10', '2026-02-28T10')
    const { unit, series, totals } = stats.statisticsOf('24h', now, entries)
    expect(unit).to.equal('hour')
    const attempts = [1, ...Array<number>(22).fill(0), 2]
    expect(series.map(({ figures }) => stats.attemptsIn(figures))).to.deep.equal(attempts)
    expect(series.at(-1)?.startsAt.toISOString()).to.equal('2026-03-01T10:00:00.000Z')
    expect(stats.attemptsIn(totals)).to.equal(3)
  })

  it('add hours and days up to days', () => {
    const entries = inHours('2026-02-27T00', '2026-02-27T23', '2026-02-23T00')
    const { unit, series } = stats.statisticsOf('7d', now, entries)
    expect(unit).to.equal('day')
    expect(series.map(({ figures }) => stats.attemptsIn(figures))).to.deep.equal([1, 0, 0, 0, 2, 0, 0])
  })
})
