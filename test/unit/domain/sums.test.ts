import { expect } from 'chai'
import { Sums } from '../../../src/domain/sums.ts'

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
