import { EventEmitter, once } from 'node:events'
import { expect } from 'chai'
import { ConcurrencyLimit } from '../../../src/operations/concurrency-limit.ts'

/** Work that ends when the test says so. */
function heldWork() {
  const events = new EventEmitter()
  const ended = once(events, 'end')
  const state = { hasBegun: false }
  const work = async () => {
    state.hasBegun = true
    await ended
  }
  const end = (error?: Error) => void (error ? events.emit('error', error) : events.emit('end'))
  return { state, work, end }
}

/** Lets all pending promises settle. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('a limit of work at once', () => {
  const limitOf = (options: Partial<ConstructorParameters<typeof ConcurrencyLimit>[0]> = {}) =>
    new ConcurrencyLimit({ running: 1, waiting: 1, waitMs: 60_000, message: 'come back', ...options })

  it('runs one after another, in the order in which they came, and each key by itself', async () => {
    const limit = limitOf({ waiting: 2 })
    const [first, second, third, other] = [heldWork(), heldWork(), heldWork(), heldWork()]
    const all = [first, second, third].map(({ work }) => limit.run('a', work))
    all.push(limit.run('b', other.work))
    await settle()
    const begun = () => [first, second, third, other].map(({ state }) => state.hasBegun)
    expect(begun()).to.deep.equal([true, false, false, true])
    first.end()
    await settle()
    expect(begun()).to.deep.equal([true, true, false, true])
    for (const { end } of [second, third, other]) end()
    await Promise.all(all)
    expect(begun()).to.deep.equal([true, true, true, true])
  })

  it('lets keys take turns for what all of them may run at once, and says that the service is busy', async () => {
    const limit = limitOf({ running: 2, runningInAll: 2, waiting: 2 })
    const begun: string[] = []
    const works = ['a', 'a', 'a', 'a', 'b', 'b'].map((key) => ({ key, ...heldWork() }))
    const all = works.map(({ key, work }) => limit.run(key, () => (begun.push(key), work())))
    const refused = await limit.run('b', () => Promise.resolve()).catch((error: unknown) => error)
    expect(refused).to.have.property('code', 'SERVICE_UNAVAILABLE')
    for (const { end } of works) {
      end()
      await settle()
    }
    await Promise.all(all)
    expect(begun).to.deep.equal(['a', 'a', 'a', 'b', 'a', 'b'])
  })

  it('gives its place among all keys on while it rests, and its place on when it fails', async () => {
    const limit = limitOf({ runningInAll: 1 })
    const slow = heldWork()
    const resting = limit.run('a', (rest) => rest(slow.work))
    await limit.run('b', () => Promise.resolve())
    slow.end()
    await resting
    await limit.run('b', () => Promise.resolve())
    const [first, second] = [heldWork(), heldWork()]
    const failed = limit.run('a', first.work).catch((error: unknown) => error)
    const next = limit.run('a', second.work)
    first.end(new Error('it failed'))
    expect(await failed).to.have.property('message', 'it failed')
    second.end()
    await next
    await limit.run('a', () => Promise.resolve())
  })

  // decision: Lists at once
  it('refuses at once what finds no place to wait, with Retry-After', async () => {
    const limit = limitOf()
    const [first, second] = [heldWork(), heldWork()]
    const all = [limit.run('a', first.work), limit.run('a', second.work)]
    const refused = await limit.run('a', () => Promise.resolve()).catch((error: unknown) => error)
    expect(refused).to.include({ code: 'RATE_LIMITED', message: 'come back' })
    expect((refused as { headers: object }).headers).to.have.property('Retry-After', '60')
    first.end()
    second.end()
    await Promise.all(all)
  })

  for (const { why, ended, code, ...usual } of [
    { why: 'as too much of its key', ended: 0, code: 'RATE_LIMITED' },
    { why: 'as too much of its key while work ends as usual', ended: 1, code: 'RATE_LIMITED', usualMs: 20 },
    { why: 'as the fault of a slow service', ended: 0, code: 'SERVICE_UNAVAILABLE', usualMs: 20 },
  ]) {
    // decision: Whose fault a wait was
    it(`refuses what has waited its time, ${why}, and never begins it`, async () => {
      const limit = limitOf({ waiting: 2, waitMs: 20, ...usual })
      const [first, second, late] = [heldWork(), heldWork(), heldWork()]
      const all = [first, second].map(({ work }) => limit.run('a', work).catch(() => undefined))
      const refused = limit.run('a', late.work).catch((error: unknown) => error)
      if (ended === 1) first.end()
      expect(await refused).to.have.property('code', code)
      first.end()
      second.end()
      await Promise.all(all)
      expect(late.state.hasBegun).to.equal(false)
    })
  }
})
