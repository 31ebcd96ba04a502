import { expect, use } from 'chai'
import chaiAsPromised from 'chai-as-promised'
import { startDeadline, within } from '../../src/activities/deadline.js'

use(chaiAsPromised)

const never = new Promise<never>(() => undefined)

describe('a deadline', () => {
  it('ends what waits for it when its time is over', async () => {
    const { signal } = startDeadline(5)
    await expect(within(signal, never)).to.be.rejectedWith('time of the attempt is over')
    expect(signal.aborted).to.equal(true)
  })

  it('ends together with the outer one, also when that is over already', async () => {
    const outer = startDeadline(5)
    const inner = startDeadline(60_000, outer.signal)
    await expect(within(inner.signal, never)).to.be.rejectedWith('time of the attempt is over')
    const late = startDeadline(60_000, outer.signal)
    expect(late.signal.aborted).to.equal(true)
    inner.clear()
    late.clear()
  })

  it('never ends once it is cleared, whatever becomes of the outer one', () => {
    const outer = startDeadline(60_000)
    const inner = startDeadline(60_000, outer.signal)
    inner.clear()
    outer.clear()
    expect(inner.signal.aborted).to.equal(false)
  })

  it('passes results and errors through while there is time', async () => {
    const deadline = startDeadline(60_000)
    expect(await within(deadline.signal, Promise.resolve(7))).to.equal(7)
    await expect(within(deadline.signal, Promise.reject(new Error('own')))).to.be.rejectedWith('own')
    deadline.clear()
  })

  it('does not wait for work that comes after the end', async () => {
    const { signal } = startDeadline(1)
    await expect(within(signal, never)).to.be.rejected
    await expect(within(signal, never)).to.be.rejectedWith('time of the attempt is over')
  })
})
