import { expect } from 'chai'
import fc from 'fast-check'
import { COMMAND_QUEUE, dueQueue } from '../../../src/db/outbox.ts'
import { shareRows } from '../../../src/relay/fairness.ts'

/** Free slots of webhooks by their name; those of companies and of all as many as may be wanted, unless said otherwise. */
const free = (
  ofQueue: (name: string) => number,
  ofCompany: (companyId: string) => number = () => 1_000,
  ofAll = 1_000,
) => ({
  webhook: ({ webhookId }: { webhookId: string }) => ofQueue(webhookId),
  firstAttempts: () => Infinity,
  company: ofCompany,
  all: () => ofAll,
})
const queue = (companyId: string, name: string) => ({ companyId, queue: `${companyId}/${name}` })

/** One budget for all queues. */
const budget = (left: number) => {
  const all = { left }
  return () => all
}

describe('sharing rows between companies', () => {
  // decision: Fairness
  it('gives a company with one webhook as much as one with a thousand', () => {
    const crowd = Array.from({ length: 1_000 }, (_, index) => queue('big', String(index)))
    const shares = shareRows(
      [...crowd, queue('small', 'only')],
      free(() => 10),
      budget(20),
    )
    const small = shares
      .filter(({ companyId }) => companyId === 'small')
      .reduce((sum, { rows }) => sum + rows, 0)
    expect(small).to.equal(10)
    expect(shares.reduce((sum, { rows }) => sum + rows, 0)).to.equal(20)
  })

  // decision: Fairness
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
          const shares = shareRows(queues, free(ofQueue, ofCompany, slots), budget(rows))
          const sum = (of: readonly number[]) => of.reduce((total, one) => total + one, 0)
          for (const share of shares) expect(share.rows).to.be.within(1, ofQueue(share.queue))
          const possible = companies.map((id) => {
            const given = shares.filter(({ companyId }) => companyId === id).map((share) => share.rows)
            expect(sum(given)).to.be.at.most(ofCompany(id))
            const wanted = queues.filter(({ companyId }) => companyId === id).map((one) => ofQueue(one.queue))
            return Math.min(sum(wanted), ofCompany(id))
          })
          expect(sum(shares.map((share) => share.rows))).to.equal(Math.min(rows, slots, sum(possible)))
        },
      ),
    )
  })

  // decision: Fairness
  it('gives first attempts and due ones of a webhook equal parts, and one of them all when it waits alone', () => {
    const counts = { first: 0, due: 0 }
    const both = [queue('com', 'hook'), { companyId: 'com', queue: dueQueue('com/hook') }]
    const slots = free(() => 3)
    for (let n = 0; n < 1_000; n++) {
      const shares = shareRows(both, slots, budget(64))
      expect(shares.reduce((sum, { rows }) => sum + rows, 0)).to.equal(3)
      for (const share of shares) counts[share.queue === 'com/hook' ? 'first' : 'due'] += share.rows
    }
    expect(counts.first).to.be.within(1_350, 1_650)
    expect(shareRows(both.slice(1), slots, budget(64))).to.deep.equal([{ ...both[1], rows: 3 }])
  })

  // decision: Fairness
  it('counts the commands of a company among its claims, whether it has a free slot or not', () => {
    const commands = { companyId: 'busy', queue: COMMAND_QUEUE }
    const full = free(
      () => 10,
      (companyId) => (companyId === 'busy' ? 0 : 10),
    )
    const shares = shareRows([commands, queue('busy', 'hook'), queue('small', 'only')], full, budget(10))
    const rowsOf = (name: string) => shares.find((share) => share.queue === name)?.rows ?? 0
    expect([rowsOf(COMMAND_QUEUE), rowsOf('busy/hook'), rowsOf('small/only')]).to.deep.equal([5, 0, 5])
    const none = free(
      () => 10,
      () => 10,
      0,
    )
    expect(shareRows([commands, queue('busy', 'hook')], none, budget(3))).to.deep.equal([
      { ...commands, rows: 3 },
    ])
  })
})
