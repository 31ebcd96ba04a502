import { expect } from 'chai'
import fc from 'fast-check'
import type { SlotHolder } from '../../../src/attempts/slot-pool.ts'
import { Slots } from '../../../src/attempts/slots.ts'

function setup(limit = 2, capacity = 100) {
  const clock = { nowMs: 1_000_000 }
  return { clock, slots: new Slots({ limit: () => limit, capacity, now: () => clock.nowMs }) }
}

const hook = (webhookId: string, companyId = 'com_1') => ({ companyId, webhookId })

describe('slots of a slow endpoint', () => {
  /** Fills all slots, and releases each after that time. */
  function hold({ clock, slots }: ReturnType<typeof setup>, count: number, heldMs: number): void {
    const releases = Array.from({ length: count }, (_, index) => slots.take(hook('whk_1'), `first_${index}`))
    clock.nowMs += heldMs
    // One attempt goes on, because otherwise the endpoint's state would be forgotten.
    for (const release of releases.slice(1)) release?.()
  }

  // decision: A workflow's first attempt is a local activity
  it('knows an endpoint as slow whose latest attempt held its slot for more than 3 s', () => {
    const { slots, clock } = setup()
    const attempt = (heldMs: number) => {
      const release = slots.take(hook('whk_1'), 'del_1')
      clock.nowMs += heldMs
      release?.()
      return slots.isSlow(hook('whk_1'))
    }
    expect([attempt(3_000), attempt(3_001), attempt(100)]).to.deep.equal([false, true, false])
    attempt(3_001)
    expect(slots.isSlow(hook('whk_2'))).to.equal(false)
  })

  it('spreads the starts of a slow endpoint over the time that it holds its slots', () => {
    const { slots, clock } = setup(10)
    hold({ slots, clock }, 10, 5_000)
    const startsAt: number[] = []
    for (let atMs = 0; atMs < 5_000; atMs += 50, clock.nowMs += 50) {
      const free = slots.free(hook('whk_1'))
      expect(free).to.be.at.most(1)
      if (free === 0) continue
      slots.reserve(hook('whk_1'), `del_${atMs}`)
      slots.take(hook('whk_1'), `del_${atMs}`)
      startsAt.push(atMs)
    }
    expect(startsAt).to.have.length(9)
    expect(startsAt.at(-1)).to.be.within(1_800, 2_500)
    const fast = setup(10)
    hold(fast, 10, 5)
    fast.clock.nowMs += 50
    expect(fast.slots.free(hook('whk_1')), 'and holds no fast one back').to.equal(9)
  })
})

describe('slots of a webhook while reservations lapse', () => {
  type Taken = { readonly holder: SlotHolder; readonly giveBack: () => void }
  const NAMES = ['a', 'b', 'c']

  /** Counts by scanning all holders, directly by the rules. */
  function createModel(limit: number, capacity: number, clock: { nowMs: number }) {
    const reserved = new Map<string, { holder: SlotHolder; untilMs: number }>()
    const taken: Taken[] = []
    /** The holders of a slot: all, or those of a company or of a webhook. */
    const used = (of?: string): number => {
      const alive = [...reserved.values()].filter(({ untilMs }) => untilMs > clock.nowMs)
      const holders = [...alive, ...taken].map(({ holder }) => holder)
      return holders.filter((one) => of === undefined || Object.values(one).includes(of)).length
    }
    const freeOfAll = () => Math.max(0, capacity - used())
    const freeOfCompany = (companyId: string) => Math.max(0, freeOfAll() - used(companyId))
    const freeOfWebhook = ({ companyId, webhookId }: SlotHolder) =>
      Math.max(0, Math.max(1, Math.min(limit, freeOfAll() - used(companyId))) - used(webhookId))
    const admits = (holder: SlotHolder, id: string) => {
      const isReserved = (reserved.get(id)?.untilMs ?? 0) > clock.nowMs
      const hasRoom = freeOfWebhook(holder) > 0 && freeOfCompany(holder.companyId) > 0
      reserved.delete(id)
      return (isReserved || hasRoom) && taken.length < capacity
    }
    return { reserved, taken, used, freeOfAll, freeOfCompany, freeOfWebhook, admits }
  }

  // decision: Slots
  // decision: Several workers
  it('are counted as if every reservation and every attempt were looked at each time', () => {
    const step = fc.record({
      what: fc.constantFrom('reserve', 'reserve', 'take', 'give back', 'cancel', 'wait'),
      company: fc.constantFrom(...NAMES),
      webhook: fc.constantFrom(...NAMES),
      number: fc.nat(5),
      waitMs: fc.constantFrom(1, 700, 1_999, 2_000),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), fc.integer({ min: 1, max: 12 }), (steps, capacity) => {
        const { slots, clock } = setup(3, capacity)
        const model = createModel(3, capacity, clock)
        for (const { what, company, webhook, number, waitMs } of steps) {
          const holder = hook(`${company}/${webhook}`, company)
          const id = `${holder.webhookId}/${number}`
          if (what === 'reserve') {
            slots.reserve(holder, id)
            model.reserved.set(id, { holder, untilMs: clock.nowMs + 2_000 })
          } else if (what === 'take') {
            const giveBack = slots.take(holder, id)
            expect(giveBack !== undefined).to.equal(model.admits(holder, id))
            if (giveBack) model.taken.push({ holder, giveBack })
            // A company without a slot gets one while one is free.
            else expect(model.used(company) === 0 && model.freeOfAll() > 0).to.equal(false)
          } else if (what === 'cancel') {
            slots.cancelReservation(holder, id)
            model.reserved.delete(id)
          } else if (what === 'give back') model.taken.shift()?.giveBack()
          else clock.nowMs += waitMs
          expect(slots.freeOfAll()).to.equal(model.freeOfAll())
          for (const name of NAMES) expect(slots.freeOfCompany(name)).to.equal(model.freeOfCompany(name))
          // A slow endpoint's pace may allow fewer slots.
          expect(slots.free(holder)).to.be.at.most(model.freeOfWebhook(holder))
        }
        for (const { giveBack } of model.taken) giveBack()
        clock.nowMs += 2_000
        expect([slots.freeOfAll(), slots.freeOfCompany('a')]).to.deep.equal([capacity, capacity])
        expect(slots.free(hook('a/a', 'a'))).to.equal(Math.min(3, capacity))
      }),
    )
  })
})

// decision: Slots of a company
describe('slots of a company', () => {
  /** Takes slots until none is free, and returns how many it got. */
  function takeAll(slots: Slots, companyId: string, webhookIds: readonly string[]): number {
    let taken = 0
    for (const webhookId of webhookIds)
      while (slots.take(hook(webhookId, companyId), `del_${companyId}_${taken}`)) taken += 1
    return taken
  }
  const many = Array.from({ length: 100 }, (_, index) => index)

  it('are half of the process at most, however many endpoints hang, and leave room for a webhook beside hung ones', () => {
    const { slots } = setup(10, 320)
    const hung = many.map((index) => `whk_hung_${index}`)
    expect(takeAll(slots, 'com_hung', hung)).to.equal(160)
    expect(slots.freeOfCompany('com_hung')).to.equal(0)
    expect(slots.freeOfCompany('com_next')).to.equal(160)
    expect(slots.free(hook('whk_next', 'com_next'))).to.equal(10)
    expect(takeAll(slots, 'com_next', ['whk_next'])).to.equal(10)
    const few = setup(10, 40).slots
    expect(takeAll(few, 'com_1', ['whk_hung_1'])).to.equal(10)
    expect(takeAll(few, 'com_1', ['whk_hung_2'])).to.be.within(5, 9)
    expect(few.take(hook('whk_next'), 'del_next')).to.be.a('function')
  })

  // decision: No process fills its own file table
  it('are never more than the process has, however many the relay reserved at once', () => {
    const { slots } = setup(10, 4)
    const holders = many.map((index) => hook(`whk_${index}`, `com_${index}`))
    // Claims for many companies each see the same free slots.
    holders.forEach((holder, index) => slots.reserve(holder, `del_${index}`))
    expect(slots.freeOfAll()).to.equal(0)
    const taken = holders.flatMap((holder, index) => slots.take(holder, `del_${index}`) ?? [])
    expect(taken).to.have.length(4)
    taken[0]?.()
    taken[0]?.()
    expect(slots.freeOfAll()).to.equal(1)
    expect(slots.take(hook('whk_next', 'com_next'), 'del_next')).to.be.a('function')
    expect(slots.take(hook('whk_last', 'com_last'), 'del_last')).to.equal(undefined)
  })
})
