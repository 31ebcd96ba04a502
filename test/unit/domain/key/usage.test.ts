import { expect } from 'chai'
import fc from 'fast-check'
import * as usage from '../../../../src/domain/key/usage.ts'

const at = (text: string) => new Date(text)
const moments = fc.date({ noInvalidDate: true, min: at('2020-01-01'), max: at('2035-12-31') })

/** One request on each of these days. */
const once = (...dates: string[]) => dates.map((date) => ({ date, requests: 1 }))

describe('usage periods', () => {
  it('are cut in UTC, and begin the week on Monday, also across months and years', () => {
    expect(usage.dayKey(at('2026-03-01T00:30:00+02:00'))).to.equal('2026-02-28')
    expect(usage.dayKey(at('2026-02-28T23:59:59.999Z'))).to.equal('2026-02-28')
    expect(usage.startOfMonth(at('2026-03-01T00:30:00+02:00'))).to.equal('2026-02-01')
    const inMarch = { '2026-03-02': '2026-03-02', '2026-03-08': '2026-03-02', '2026-03-09': '2026-03-09' }
    const others = { '2026-03-01': '2026-02-23', '2027-01-01': '2026-12-28', '2024-02-29': '2024-02-26' }
    for (const [day, monday] of Object.entries({ ...inMarch, ...others })) {
      expect(usage.startOfWeek(at(`${day}T00:00:00Z`)), day).to.equal(monday)
      expect(usage.startOfWeek(at(`${day}T23:59:59.999Z`)), day).to.equal(monday)
    }
  })
})

describe('a usage summary', () => {
  // decision: Usage
  it('counts the current day, ISO week and month so far', () => {
    const daily = once('2026-03-31', '2026-04-01', '2026-04-05', '2026-04-06', '2026-04-07', '2026-04-08')
    const { day, week, month } = usage.summariseUsage(daily, at('2026-04-08T10:00:00Z'))
    expect({ day, week, month }).to.deep.equal({ day: 1, week: 3, month: 5 })
    const days = once('2026-03-30', '2026-03-31', '2026-04-01')
    const first = usage.summariseUsage(days, at('2026-04-01T00:00:00Z'))
    expect(first, 'the week reaches back').to.include({ week: 3, month: 1 })
  })

  it('lists the last 30 days, oldest first, today last, without a gap', () => {
    fc.assert(
      fc.property(moments, (now) => {
        const { daily } = usage.summariseUsage([], now)
        expect(daily).to.have.length(30)
        expect(daily[29]).to.deep.equal({ date: now.toISOString().slice(0, 10), requests: 0 })
        for (const [index, { date }] of daily.slice(1).entries())
          expect(Date.parse(date) - Date.parse(daily[index]!.date)).to.equal(86_400_000)
      }),
    )
  })

  it('adds up repeated days and leaves out days that have not come yet', () => {
    const daily = [...once('2026-04-07', '2026-04-07', '2026-04-08'), { date: '2026-04-09', requests: 50 }]
    const summary = usage.summariseUsage(daily, at('2026-04-08T10:00:00Z'))
    expect(summary).to.include({ day: 1, week: 3, month: 3 })
    expect(summary.daily.slice(-2).map(({ requests }) => requests)).to.deep.equal([2, 1])
  })

  it('needs no day before the one it asks to start from', () => {
    const since = [31, 30, 29].map((day) => usage.usageSince(at(`2026-03-${day}T12:00:00Z`)))
    expect(since).to.deep.equal(['2026-03-01', '2026-03-01', '2026-02-28'])
  })
})
