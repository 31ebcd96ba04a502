import { expect } from 'chai'
import { createSlots } from '../../src/activities/slots.js'

function setup(limit = 2) {
  const clock = { nowMs: 1_000_000 }
  return { clock, slots: createSlots({ limit: () => limit, now: () => clock.nowMs }) }
}

describe('slots of a webhook', () => {
  it('gives out no more than the limit, and each again once released', () => {
    const { slots } = setup()
    const first = slots.take('whk_1', 'del_1')
    slots.take('whk_1', 'del_2')
    expect(slots.take('whk_1', 'del_3')).to.equal(undefined)
    expect(slots.take('whk_2', 'del_4')).to.be.a('function')
    first?.()
    first?.()
    expect(slots.free('whk_1')).to.equal(1)
    expect(slots.take('whk_1', 'del_3')).to.be.a('function')
    expect(slots.free('whk_1')).to.equal(0)
  })

  it('keeps a reserved slot for the delivery that the relay is starting, and lets it lapse', () => {
    const { slots, clock } = setup(1)
    slots.reserve('whk_1', 'del_1')
    expect(slots.free('whk_1')).to.equal(0)
    expect(slots.take('whk_1', 'del_2')).to.equal(undefined)
    expect(slots.take('whk_1', 'del_1')).to.be.a('function')
    slots.reserve('whk_1', 'del_3')
    clock.nowMs += 2_001
    expect(slots.take('whk_1', 'del_3')).to.equal(undefined)
  })

  it('brings deferred attempts back one turn after the other, not all at once', () => {
    const { slots } = setup(10)
    const delays = Array.from({ length: 1_000 }, (_, index) => slots.deferralMs('whk_1', `del_${index}`))
    expect(delays[0]).to.be.greaterThan(0)
    expect(delays[99]).to.be.closeTo(20_000, 200)
    expect(Math.max(...delays)).to.equal(60_000)
    const inFirstSecond = delays.filter((delayMs) => delayMs <= 1_000)
    expect(inFirstSecond.length).to.be.at.most(10)
  })

  /** Fills all slots, and gives each back after that time. */
  function hold({ clock, slots }: ReturnType<typeof setup>, count: number, heldMs: number): void {
    const releases = Array.from({ length: count }, (_, index) => slots.take('whk_1', `first_${index}`))
    clock.nowMs += heldMs
    // One goes on, or nothing would be known of the endpoint any more.
    for (const release of releases.slice(1)) release?.()
  }

  it('keeps a slot for a deferred attempt that is due, and gives the relay the rest', () => {
    const { slots, clock } = setup(4)
    hold({ slots, clock }, 4, 2_000)
    const delayMs = slots.deferralMs('whk_1', 'del_back')
    clock.nowMs += delayMs
    expect(slots.free('whk_1')).to.be.at.most(2)
    slots.reserve('whk_1', 'del_1')
    slots.reserve('whk_1', 'del_2')
    expect(slots.free('whk_1')).to.equal(0)
    expect(slots.take('whk_1', 'del_back')).to.be.a('function')
  })

  it('forgets a deferred attempt that does not come back', () => {
    const { slots, clock } = setup(2)
    hold({ slots, clock }, 2, 1_000)
    clock.nowMs += slots.deferralMs('whk_1', 'del_gone')
    expect(slots.free('whk_1')).to.equal(0)
    clock.nowMs += 2_001
    expect(slots.free('whk_1')).to.equal(1)
  })

  it('spreads the starts of a slow endpoint over the time that it holds its slots', () => {
    const { slots, clock } = setup(10)
    hold({ slots, clock }, 10, 5_000)
    const startsAt: number[] = []
    for (let atMs = 0; atMs < 5_000; atMs += 50, clock.nowMs += 50) {
      const free = slots.free('whk_1')
      expect(free).to.be.at.most(1)
      if (free === 0) continue
      slots.reserve('whk_1', `del_${atMs}`)
      slots.take('whk_1', `del_${atMs}`)
      startsAt.push(atMs)
    }
    expect(startsAt).to.have.length(9)
    expect(startsAt.at(-1)).to.be.within(1_800, 2_500)
  })

  it('never holds a fast endpoint back', () => {
    const { slots, clock } = setup(10)
    hold({ slots, clock }, 10, 5)
    clock.nowMs += 50
    expect(slots.free('whk_1')).to.equal(9)
  })
})
