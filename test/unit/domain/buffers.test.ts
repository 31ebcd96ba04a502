import { expect } from 'chai'
import { Drain, Sums } from '../../../src/domain/buffers.ts'
import { within } from '../../../src/domain/within.ts'

describe('A drain', () => {
  it('takes at once what comes first, and then together what came meanwhile', async () => {
    const waiting: string[] = []
    const steps: string[][] = []
    const take = () => Promise.resolve(void steps.push(waiting.splice(0)))
    const drain = new Drain(() => waiting.length > 0, take)
    const add = (entry: string) => {
      waiting.push(entry)
      return drain.run()
    }
    const first = add('a')
    expect(steps).to.deep.equal([['a']])
    const others = [add('b'), add('c')]
    expect(drain.isBusy).to.equal(true)
    await Promise.all([first, ...others])
    expect(steps).to.deep.equal([['a'], ['b', 'c']])
    expect(drain.isBusy).to.equal(false)
  })
})

describe('A wait for work', () => {
  it('gives its result, or what stands for it when the time is over first, and holds no process up', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const late = () => 'late'
    // The timer of the test starts at its first wait.
    await Promise.resolve()
    const before = timers()
    expect(await within(60_000, Promise.resolve('done'), late)).to.equal('done')
    expect(timers()).to.equal(before)
    expect(await within(1, new Promise(() => undefined), late)).to.equal('late')
  })
})

describe('Sums', () => {
  it('add up the values of each key, and begin anew once they are taken', () => {
    const sums = new Sums<number>((sum, value) => sum + value)
    sums.add('a', 1)
    sums.add('b', 2)
    sums.add('a', 3)
    expect(sums.size).to.equal(2)
    expect([...sums.take()].join(' ')).to.equal('a,4 b,2')
    expect(sums.size).to.equal(0)
    sums.add('a', 5)
    expect([...sums.take()]).to.deep.equal([['a', 5]])
  })
})
