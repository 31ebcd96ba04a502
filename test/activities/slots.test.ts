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
    const delays = Array.from({ length: 1_000 }, () => slots.deferralMs('whk_1'))
    expect(delays[0]).to.be.greaterThan(0)
    expect(delays[99]).to.be.closeTo(10_000, 200)
    expect(Math.max(...delays)).to.equal(60_000)
    const inFirstSecond = delays.filter((delayMs) => delayMs <= 1_000)
    expect(inFirstSecond.length).to.be.at.most(10)
  })
})
