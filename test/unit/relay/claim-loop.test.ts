import { expect } from 'chai'
import { once, EventEmitter } from 'node:events'
import { ClaimLoop, type Round } from '../../../src/relay/claim-loop.ts'

const NEVER_MS = 2 ** 31 - 1

describe('the loop that claims', () => {
  const rounds = new EventEmitter()
  let count = 0
  let found: Round[] = []
  let loop: ClaimLoop
  const start = (
    rests: Partial<Record<'pollMs' | 'idlePollMs' | 'idleAfterMs', number>>,
    onFailure = () => undefined,
  ) => {
    count = 0
    loop = new ClaimLoop({
      round: () => {
        count += 1
        setImmediate(() => rounds.emit('round', count))
        return Promise.resolve(found.shift() ?? 'empty')
      },
      onFailure,
      rests,
    })
    loop.start()
  }
  const untilRound = async (wanted: number) => {
    while (count < wanted) await once(rounds, 'round')
  }
  afterEach(() => loop.stop())

  it('goes on at once while rounds leave something', async () => {
    found = ['more', 'more', 'more']
    start({ pollMs: NEVER_MS })
    await untilRound(4)
  })

  it('waits for a ring after a round that took all there was', async () => {
    found = ['done', 'done']
    start({ pollMs: NEVER_MS, idlePollMs: NEVER_MS })
    await untilRound(1)
    await new Promise((resolve) => setImmediate(resolve))
    expect(count).to.equal(1)
    loop.ring()
    await untilRound(2)
  })

  it('polls while there is something now and then', async () => {
    start({ pollMs: 1, idleAfterMs: NEVER_MS, idlePollMs: NEVER_MS })
    await untilRound(10)
  })

  // decision: Polling of the outbox
  it('polls rarely once it has found nothing for a while, until somebody rings', async () => {
    start({ pollMs: NEVER_MS, idleAfterMs: 0, idlePollMs: 1 })
    await untilRound(5)
    await loop.stop()
    start({ pollMs: NEVER_MS, idleAfterMs: NEVER_MS, idlePollMs: NEVER_MS })
    await untilRound(1)
    loop.ring()
    await untilRound(2)
  })

  it('does not miss a ring that comes during a round', async () => {
    start({ pollMs: NEVER_MS })
    await untilRound(1)
    loop.ring()
    loop.ring()
    await untilRound(2)
  })

  it('goes on after rounds that failed, and tells of the first one', async () => {
    let failures = 0
    let told = 0
    loop = new ClaimLoop({
      round: () => {
        failures += 1
        setImmediate(() => rounds.emit('round', failures))
        return failures < 4 ? Promise.reject(new Error('away')) : Promise.resolve('empty')
      },
      onFailure: () => (told += 1),
      rests: { pollMs: 1 },
    })
    loop.start()
    while (failures < 5) await once(rounds, 'round')
    expect(told).to.equal(1)
  })
})
