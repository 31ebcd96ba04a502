import { expect } from 'chai'
import { add, countMissing, figures, reset } from '../../bench/throughput/receiver.ts'

describe('the figures of npm run bench', () => {
  it('count what was accepted and never arrived at one of its endpoints as lost, and what came after a 2xx as a duplicate', () => {
    reset({})
    const arrive = (id: string, isGood = true) => add({ path: '/a', id, isGood })
    arrive('evt_1', false)
    arrive('evt_1')
    arrive('evt_2')
    arrive('evt_2')
    arrive('evt_9')
    expect(figures()).to.include({ delivered: 3, duplicates: 1 })
    expect(countMissing({ ids: ['evt_1', 'evt_2', 'evt_3'], each: 1 })).to.equal(1)
    reset({})
    for (const path of ['/a', '/b']) add({ path, id: 'evt_1', isGood: true })
    expect(countMissing({ ids: ['evt_1'], each: 3 })).to.equal(1)
  })
})
