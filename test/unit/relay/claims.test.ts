import { expect } from 'chai'
import { EventEmitter, once } from 'node:events'
import { ClaimLoop, type RoundResult } from '../../../src/relay/claim-loop.ts'
import fc from 'fast-check'
import type { OutboxKind } from '../../../src/db/outbox/outbox.ts'
import * as outbox from '../../../src/db/outbox/queues.ts'
import { shareRows } from '../../../src/relay/fairness.ts'
import type { Claim } from '../../../src/db/outbox/claims.ts'
import { restMs, WorkUnderWay } from '../../../src/relay/work-under-way.ts'

const NEVER_MS = 2 ** 31 - 1

describe('the loop that claims', () => {
  const rounds = new EventEmitter()
  let count = 0
  /** The results or errors of the next rounds. */
  let found: (RoundResult | Error)[] = []
  let loop: ClaimLoop
  const start = (rests: Partial<Record<string, number>>, onFailure = () => undefined) => {
    count = 0
    const round = () => {
      count += 1
      setImmediate(() => rounds.emit('round', count))
      const next = found.shift() ?? 'empty'
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next)
    }
    loop = new ClaimLoop({ round, onFailure, rests })
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

  // decision: Polling of the outbox
  it('polls while there is something now and then, and rarely once it has found nothing for a while, until somebody rings', async () => {
    for (const rests of [
      { pollMs: 1, idleAfterMs: NEVER_MS },
      { idleAfterMs: 0, idlePollMs: 1 },
    ]) {
      start({ pollMs: NEVER_MS, idlePollMs: NEVER_MS, ...rests })
      await untilRound(10)
      await loop.stop()
    }
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
    let told = 0
    found = Array<Error>(3).fill(new Error('away'))
    start({ pollMs: 1 }, () => void (told += 1))
    await untilRound(5)
    expect(told).to.equal(1)
  })
})

const MANY = { firstAttempts: () => Infinity, company: () => 1_000, all: () => 1_000 }
type Others = { company?: (id: string) => number; all?: () => number }
/** Free slots of webhooks by name. Companies and all webhooks together have enough unless the test says otherwise. */
const free = (ofQueue: (name: string) => number, others: Others = {}) => {
  return { ...MANY, webhook: ({ webhookId }: { webhookId: string }) => ofQueue(webhookId), ...others }
}
const queue = (companyId: string, name: string) => ({ companyId, queue: `${companyId}/${name}` })

/** One budget for all queues. */
const budget = (left: number) => {
  const all = { left }
  return () => all
}

const rowsIn = (shares: readonly { readonly rows: number }[]): number =>
  shares.reduce((sum, { rows }) => sum + rows, 0)

// decision: Fairness
describe('sharing rows between companies', () => {
  it('gives a company with one webhook as much as one with a thousand', () => {
    const crowd = Array.from({ length: 1_000 }, (_, index) => queue('big', String(index)))
    const slots = free(() => 10)
    const shares = shareRows([...crowd, queue('small', 'only')], slots, budget(20))
    const small = shares.filter(({ companyId }) => companyId === 'small')
    expect([rowsIn(small), rowsIn(shares)]).to.deep.equal([10, 20])
  })

  it('skips webhooks and companies without a free slot and never gives one more than it has', () => {
    const companies = ['a', 'b', 'c']
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...companies), fc.nat(30), fc.nat(12)), { maxLength: 40 }),
        fc.dictionary(fc.constantFrom(...companies), fc.nat(40)),
        fc.nat(64),
        fc.nat(80),
        (entries, companySlots, rows, slots) => {
          const queueSlots = new Map(entries.map(([company, name, slots]) => [`${company}/${name}`, slots]))
          const ofQueue = (name: string) => queueSlots.get(name) ?? 0
          const ofCompany = (companyId: string) => companySlots[companyId] ?? 0
          const queues = [...queueSlots.keys()].map((name) => ({ companyId: name.slice(0, 1), queue: name }))
          const all = free(ofQueue, { company: ofCompany, all: () => slots })
          const shares = shareRows(queues, all, budget(rows))
          const sum = (of: readonly number[]) => rowsIn(of.map((rows) => ({ rows })))
          for (const share of shares) expect(share.rows).to.be.within(1, ofQueue(share.queue))
          const possible = companies.map((id) => {
            const given = shares.filter(({ companyId }) => companyId === id)
            expect(rowsIn(given)).to.be.at.most(ofCompany(id))
            const wanted = queues.filter(({ companyId }) => companyId === id).map((one) => ofQueue(one.queue))
            return Math.min(sum(wanted), ofCompany(id))
          })
          expect(rowsIn(shares)).to.equal(Math.min(rows, slots, sum(possible)))
        },
      ),
    )
  })

  it('gives first attempts, due ones and direct retries of a webhook equal parts, and one of them all when it waits alone', () => {
    const all = ['com/hook', outbox.dueQueue('com/hook'), outbox.directRetryQueue('com/hook')]
    const queues = all.map((queue) => ({ companyId: 'com', queue }))
    const partOf = (waiting: typeof queues, slots: number): number[] => {
      const room = free(() => slots)
      const counts = new Map(waiting.map(({ queue }) => [queue, 0]))
      for (let n = 0; n < 1_200; n++) {
        const shares = shareRows(waiting, room, budget(64))
        expect(rowsIn(shares)).to.equal(slots)
        for (const share of shares) counts.set(share.queue, counts.get(share.queue)! + share.rows)
      }
      return [...counts.values()]
    }
    for (const rows of partOf(queues, 1)) expect(rows).to.be.within(300, 500)
    for (const rows of partOf(queues.slice(0, 2), 3)) expect(rows).to.be.within(1_620, 1_980)
    expect(partOf(queues.slice(1, 2), 3)).to.deep.equal([3_600])
  })

  it('counts the commands of a company among its claims, whether it has a free slot or not', () => {
    const commands = { companyId: 'busy', queue: outbox.COMMAND_QUEUE }
    const ofCompany = (companyId: string) => (companyId === 'busy' ? 0 : 10)
    const full = free(() => 10, { company: ofCompany })
    const shares = shareRows([commands, queue('busy', 'hook'), queue('small', 'only')], full, budget(10))
    const rowsOf = (name: string) => shares.find((share) => share.queue === name)?.rows ?? 0
    expect([rowsOf(outbox.COMMAND_QUEUE), rowsOf('busy/hook'), rowsOf('small/only')]).to.deep.equal([5, 0, 5])
    const none = free(() => 10, { all: () => 0 })
    const left = shareRows([commands, queue('busy', 'hook')], none, budget(3))
    expect(left).to.deep.equal([{ ...commands, rows: 3 }])
  })
})

describe('workflows after direct attempts', () => {
  it('keep a call while none of them is under way, unless the only call is the probe of a slow Temporal', () => {
    const work = new WorkUnderWay()
    const kept = (free = 1) => work.room(() => free, true).keptForHandovers
    const claimOf = (queue: string): Claim => ({ ...pageOf('retry'), row: { ...pageOf('retry').row, queue } })
    expect(kept()).to.equal(0)
    work.begin(claimOf(outbox.COMMAND_QUEUE))
    expect([kept(), kept(0)]).to.deep.equal([1, 0])
    work.begin(claimOf(outbox.HANDOVER_QUEUE))
    expect(kept()).to.equal(0)
  })
})

const pageOf = (kind: OutboxKind): Claim => {
  const row = { id: 1, kind, targetId: 'whk', companyId: 'com', queue: outbox.PAGE_QUEUE, version: 1 }
  return { row: { ...row, argument: null, tries: 0 }, delivery: undefined, isDirect: false }
}

// decision: Deleting or activating a webhook
describe('the pages of commands that go over a whole webhook', () => {
  it('run one at a time, rest included, and the next one is claimed at once', () => {
    const work = new WorkUnderWay()
    const pages = () => work.room((free) => free, false).pages
    expect(pages(), 'before the first').to.equal(1)
    const end = work.begin(pageOf('resume-webhook'))
    expect(pages(), 'beside another').to.equal(0)
    expect(end({ isMore: false }), 'claim again').to.equal(true)
    expect(pages(), 'after it').to.equal(1)
  })

  it('begin twice a second at most while each calls Temporal', () => {
    for (const tookMs of [100, 700])
      expect(tookMs + restMs(pageOf('cancel-webhook'), tookMs)).to.equal(Math.max(500, tookMs))
  })

  it('take half of the time at most while they only use the database', () => {
    for (const tookMs of [20, 700]) expect(restMs(pageOf('resume-webhook'), tookMs)).to.equal(tookMs)
  })
})
