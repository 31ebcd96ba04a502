import { expect } from 'chai'
import { Drain } from '../../../src/domain/drain.ts'

describe('A drain', () => {
  it('takes at once what comes first, and then together what came meanwhile', async () => {
    const waiting: string[] = []
    const steps: string[][] = []
    const drain = new Drain(
      () => waiting.length > 0,
      () => Promise.resolve(void steps.push(waiting.splice(0))),
    )
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
