import { expect } from 'chai'
import { latestPause, missedSegments, type Pause } from '../../../../src/domain/recovery/segments.ts'

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 5) + seconds * 1_000)
const pause = (from: number, to: number | null, ...eventTypes: string[]): Pause => ({
  startsAt: at(from),
  endsAt: to === null ? null : at(to),
  eventTypes: eventTypes.length > 0 ? eventTypes : ['contact.created'],
})
const DAY = { since: at(0), until: at(86_400) }
const CONTACTS = ['contact.created', 'contact.deleted']

// decision: Missed events
describe('the parts of a window in which events were missed', () => {
  /** A segment from and to these seconds, of these types of contact events. */
  const segments = (pauses: readonly Pause[], window = DAY) =>
    missedSegments(pauses, window, CONTACTS)
      .map(({ from, until, eventTypes }) => {
        const [begin, end] = [from, until].map((moment) => (moment.getTime() - at(0).getTime()) / 1_000)
        return `${begin}-${end} ${eventTypes.join('+').replaceAll('contact.', '')}`
      })
      .join(', ')

  it('are the pauses, 5 s longer on both sides, as far as they are in the window', () => {
    expect(segments([pause(100, 200)])).to.equal('95-205 created')
    expect(segments([pause(-50, 20), pause(80_000, null)])).to.equal('0-25 created, 79995-86400 created')
    expect(segments([pause(100, 200)], { since: at(150), until: at(160) })).to.equal('150-160 created')
    expect(segments([pause(100, 200)], { since: at(300), until: at(400) })).to.equal('')
    const around = [pause(100, 200), pause(310, 320), pause(500, 600)]
    expect(segments(around, { since: at(300), until: at(400) })).to.equal('305-325 created')
  })

  it('are for types that the webhook subscribed to then and subscribes to now', () => {
    expect(segments([pause(100, 200, 'contact.created', 'deal.created')])).to.equal('95-205 created')
    expect(segments([pause(100, 200, 'deal.created')])).to.equal('')
    expect(segments([pause(100, 200, 'deal.created'), pause(50, 300)])).to.equal('45-305 created')
  })

  it('do not overlap, also where pauses follow each other with other types', () => {
    const pauses = [pause(200, 300, 'contact.deleted'), pause(100, 200, 'contact.created')]
    expect(segments(pauses)).to.equal('95-195 created, 195-205 created+deleted, 205-305 deleted')
    expect(segments([pause(100, 101), pause(101, 102)])).to.equal('95-107 created')
    const within = [pause(100, 400), pause(200, 300, 'contact.deleted')]
    expect(segments(within)).to.equal('95-195 created, 195-305 created+deleted, 305-405 created')
  })

  // decision: Limits of recoveries of missed events
  it('are found in time that hardly grows faster than the number of pauses', () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => pause(20 * n, 20 * n + 5))
    const window = { since: at(0), until: at(86_400 * 30) }
    const all = missedSegments(many(100_000), window, CONTACTS)
    expect(all).to.have.length(100_000)
    expect(all.at(-1)?.until).to.deep.equal(at(20 * 99_999 + 10))
  })
})

describe('the latest pause of a webhook', () => {
  const latest = (...pauses: Pause[]) => {
    const found = latestPause(pauses)
    return found && [found.startsAt, found.endsAt]
  }

  // decision: What an activation offers
  it('is the last one, from where it began, although its event types changed meanwhile', () => {
    expect(latest()).to.equal(undefined)
    expect(latest(pause(100, 200), pause(300, 400))).to.deep.equal([at(300), at(400)])
    const changed = [pause(350, null, 'deal.created'), pause(300, 350), pause(100, 200)]
    expect(latest(...changed)).to.deep.equal([at(300), null])
    expect(latest(...changed.toReversed())).to.deep.equal([at(300), null])
  })
})
