import { expect } from 'chai'
import { runQueues, runPool } from '../../scripts/lib/pool.mjs'

describe('a pool', () => {
  /** A work that ends when it is told to. */
  function createWork(name: string, log: string[]): Work {
    let end: Work['end'] = () => undefined
    let fail: Work['fail'] = () => undefined
    const ended = new Promise<void>((resolve, reject) => {
      end = resolve
      fail = reject
    })
    const work = () => {
      log.push(name)
      return ended
    }
    return {
      work,
      end: () => {
        end()
      },
      fail: (error) => {
        fail(error)
      },
    }
  }
  const tick = () => new Promise((resolve) => setImmediate(resolve))

  it('begins works in order, and the next one when one of the running ends', async () => {
    const log: string[] = []
    const [a, b, c] = ['a', 'b', 'c'].map((name) => createWork(name, log)) as [Work, Work, Work]
    const ended = runPool(2, [a.work, b.work, c.work])
    await tick()
    expect(log).to.deep.equal(['a', 'b'])
    b.end()
    await tick()
    expect(log).to.deep.equal(['a', 'b', 'c'])
    a.end()
    c.end()
    await ended
  })

  it('begins nothing more after a failure, and throws it', async () => {
    const log: string[] = []
    const [a, b] = ['a', 'b'].map((name) => createWork(name, log)) as [Work, Work]
    const ended = runPool(1, [a.work, b.work])
    a.fail(new Error('no'))
    expect(await ended.catch(String)).to.equal('Error: no')
    expect(log).to.deep.equal(['a'])
  })

  it('has runners that help with the queue of others when their own is empty', async () => {
    const log: string[] = []
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => createWork(name, log)) as [Work, Work, Work, Work]
    const [long, beside] = [[a.work, b.work, c.work], [d.work]]
    const ended = runQueues([
      [long, beside],
      [beside, long],
    ])
    await tick()
    expect(log).to.deep.equal(['a', 'd'])
    d.end()
    await tick()
    expect(log).to.deep.equal(['a', 'd', 'b'])
    for (const work of [a, b, c]) work.end()
    await ended
    expect(log).to.deep.equal(['a', 'd', 'b', 'c'])
  })
})

type Work = { work: () => Promise<void>; end: () => void; fail: (error: Error) => void }
