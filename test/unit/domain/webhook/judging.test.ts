import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { RE2JS, RE2JSException } from 're2js'
import { parseFilter } from '../../../../src/domain/webhook/filter/check.ts'
import { judge, passes, type FilterVerdict } from '../../../../src/domain/webhook/filter/compile.ts'
import type { Filter } from '../../../../src/domain/webhook/filter/condition.ts'
import { judgeEvents, Judging, judgingLimit } from '../../../../src/domain/webhook/filter/judging.ts'
import { compileFilter, FilterCache } from '../../../../src/domain/webhook/filter/cache.ts'
import { patternSize } from '../../../../src/domain/webhook/filter/pattern.ts'
import { because } from '../../../../src/domain/webhook/filter/words.ts'
import { words } from '../../../support/words.ts'

const bodyOf = (a: unknown) => Buffer.from(JSON.stringify({ data: { a } }))
const many = (count: number) => Array.from({ length: count }, (_, n) => n)
const isOne = () => compileFilter({ 'data.a': 1 })

// decision: Cost of a filter
describe('judging many events', () => {
  it('parses an event once, and judges it once by each filter', async () => {
    const [judging, body, filter] = [new Judging(), bodyOf(1), isOne()]
    const event = judging.eventOf(body)
    expect(judging.eventOf(body)).to.equal(event)
    expect(judging.eventOf(bodyOf(1))).to.not.equal(event)
    expect(event.parsingWork).to.equal(body.length / 4)
    expect((await judging.judge(filter, event)).kind).to.equal('matches')
    expect(event.parsingWork).to.equal(0)
    const { work } = judging
    await judging.judge(filter, event)
    expect(judging.work).to.equal(work)
    await judging.judge(filter, judging.eventOf(bodyOf(2)))
    expect(judging.work - work, 'of a filter that is not new').to.be.within(1, 1_000)
  })

  it('lets others have their turn after so much work, which a new filter is', async () => {
    const judging = new Judging()
    const event = judging.eventOf(bodyOf(1))
    let turns = 0
    const count = () => setImmediate(() => (turns += 1))
    count()
    const [first, second] = [isOne(), isOne()]
    await judging.judge(first, event)
    expect(turns).to.equal(0)
    await judging.judge(second, event)
    expect(turns).to.equal(1)
    const judgeAnother = () => judging.judge(first, judging.eventOf(bodyOf(2)))
    await judgeAnother()
    count()
    await judgeAnother()
    expect(turns, 'little work since the latest turn').to.equal(1)
  })

  it('stops judging an event that filters have looked at for 50 ms together', async () => {
    const judging = new Judging()
    const event = judging.eventOf(bodyOf(Array(2_900).fill(0)))
    const kinds: string[] = []
    for (let n = 0; n < 60; n++) kinds.push((await judging.judge(isOne(), event)).kind)
    expect(kinds).to.deep.equal([...Array<string>(54).fill('fails'), ...Array<string>(6).fill('too_much')])
  })

  it('ends after 16 MiB of events, or when its time is over', () => {
    let nowMs = 0
    const limit = () => judgingLimit(1_000, () => new Date(nowMs))
    const [bytes, time] = [limit(), limit()]
    expect([bytes(16 * 1024 * 1024 - 1), bytes(1)]).to.deep.equal([true, false])
    const may = [999, 1_000].map((atMs) => {
      nowMs = atMs
      return time(1)
    })
    expect(may).to.deep.equal([true, false])
  })

  it('reads events 20 at a time, in the order of their ids, and leaves out those that are gone', async () => {
    const ids = many(45).map((n) => `evt_${n}`)
    const asked: number[] = []
    const read = (some: readonly string[]) => {
      asked.push(some.length)
      const found = some
        .filter((id) => id !== 'evt_7')
        .map((id) => ({ id, body: bodyOf(Number(id.slice(4)) % 2) }))
      return Promise.resolve(found.toReversed())
    }
    const judged: { readonly id: string; readonly verdict: FilterVerdict }[] = []
    for await (const one of judgeEvents(read, isOne(), ids)) judged.push(one)
    expect(asked).to.deep.equal([20, 20, 5])
    expect(judged.map(({ id }) => id)).to.deep.equal(ids.filter((id) => id !== 'evt_7'))
    const matched = { verdict: { kind: 'matches' }, envelope: { data: { a: 1 } } }
    expect(judged[1]).to.deep.equal({ id: 'evt_1', ...matched, bytes: bodyOf(1).length })
    expect(judged[2]?.verdict.kind).to.equal('fails')
  })
})

/** Filters of a hostile tenant: many conditions on arrays, patterns on long texts, and matching data. */
const HOSTILE: Readonly<Record<string, { readonly filter: object; readonly data: object }>> = {
  'a pattern that backtracks for ever elsewhere': {
    filter: { 'data.t': { $regex: '^(a+)+$' } },
    data: { t: `${'a'.repeat(200_000)}!` },
  },
  'a pattern with many states': {
    filter: { 'data.t': { $regex: '[ab]*a[ab]{30}$' } },
    data: { t: createHash('sha512').update('a').digest('hex').repeat(6).replaceAll(/[0-7]/g, 'a') },
  },
  'the largest pattern there may be, of classes of Unicode': {
    filter: { 'data.t': { $regex: String.raw`(?i)\pL{28}z` } },
    data: { t: 'äжαb'.repeat(250) },
  },
  'many conditions on a long array': {
    filter: { $or: many(100).map((n) => ({ 'data.a': { $gt: `${n}` } })) },
    data: { a: Array(19_000).fill(0) },
  },
  'many $exists on a long array': {
    filter: { $and: Array(100).fill({ 'data.a.b': { $exists: false } }) },
    data: { a: Array(19_000).fill({ c: 0 }) },
  },
  'arrays in arrays': {
    filter: { 'data.a.a.a': 1 },
    data: { a: Array(30).fill({ a: Array(30).fill({ a: Array(30).fill(0) }) }) },
  },
  'a long text in a long list': {
    filter: { 'data.a': { $in: many(100).map((n) => `${'x'.repeat(20)}${n}`) } },
    data: { a: many(2_000).map((n) => `${'x'.repeat(100)}${n}`) },
  },
}

const NUMBERS = many(10_000).map((n) => (n * 7_919) % 100_003)

/**
 * The work's time as a multiple of sorting 10,000 numbers, which takes about 1 ms. Both run in turns, and the shortest
 * run of each counts, because other programs use the processor too. It stops after 100 tries, or earlier at this limit.
 */
function costOf(work: () => unknown, most: number): number {
  const shortest = [Infinity, Infinity]
  for (let turn = 0; turn < 10 || (turn < 100 && shortest[0]! >= most * shortest[1]!); turn += 1)
    for (const [index, run] of [work, () => NUMBERS.toSorted((a, b) => a - b)].entries()) {
      const startMs = performance.now()
      run()
      shortest[index] = Math.min(shortest[index]!, performance.now() - startMs)
    }
  return shortest[0]! / shortest[1]!
}

describe('a hostile filter', () => {
  for (const [title, hostile] of Object.entries(HOSTILE)) {
    // decision: RE2 for `$regex`
    it(`judges an event in about 1 ms: ${title}`, function () {
      this.slow(500)
      const compiled = compileFilter(hostile.filter as Filter)
      expect(compiled.conditions, 'it is no refused filter').not.to.deep.equal([])
      const cost = costOf(() => judge(compiled, { event: 'a.b', data: hostile.data }), 2)
      expect(cost).to.be.below(2)
    })
  }

  // decision: Cost of a filter
  it('lets an event through that has too much to compare', () => {
    const compiled = compileFilter({ 'data.a': 1 })
    const envelope = { data: { a: Array(19_000).fill(0) } }
    const verdict = judge(compiled, envelope)
    expect(verdict.kind).to.equal('too_much')
    expect(passes(verdict)).to.equal(true)
    expect(because(compiled, verdict, envelope)).to.contain('delivered without being judged')
  })

  // decision: Cost of a filter
  it('is judged on a text of any length, as long as there are no arrays', () => {
    const others = Object.fromEntries(many(80).map((n) => [`data.f${n}`, { $ne: 1, $gt: 0 }]))
    const some = { $or: Array(10).fill({ 'data.t': { $regex: '[ab]c$' } }), $not: { 'data.t': 1, ...others } }
    for (const most of [some, { 'data.t': { $regex: '[ab]*a[ab]{50}c' } }] as Filter[]) {
      expect(parseFilter(most).ok).to.equal(true)
      const judged = judge(compileFilter(most), { event: 'a.b', data: { t: 'ab'.repeat(50_000) } })
      expect(judged.kind).to.equal('fails')
    }
    const ends = (end: string) => {
      const envelope = { data: { t: 'a'.repeat(999) + end } }
      return judge(compileFilter({ 'data.t': { $regex: 'b$' } }), envelope).kind
    }
    expect(['b', 'ba', 'ab'].map(ends)).to.deep.equal(words('matches matches fails'))
  })

  // decision: RE2 for `$regex`
  it('is refused before a pattern is compiled that repeats much', () => {
    for (const pattern of [`(?:${'a'.repeat(185)}){1000}`, '(((a{99}){99}){99}){99}', '[)](?:[(]b{60})']) {
      const refuse = () =>
        expect(parseFilter({ 'data.a': { $regex: pattern } }))
          .property('reason')
          .to.contain('is too complex')
      expect(costOf(refuse, 1)).to.be.below(1)
    }
  })

  it('compiles to no more instructions than were counted before', () => {
    const parts = String.raw`a|b|\d|\pL|[a-z]|[]a]|[^]a(]|[[:alpha:])]|[)]|[(]|[\])]|\(|\)|\Q(a\E|\Qb)|(|(?:|(?i)|(?i:|(?P<n>|)|)|)`
    const others = words(String.raw`* + ? . ^ $ é 😀 [ { } | {2} {1,3} {2,} {0} {0,2} \x{41} {02} [[:`)
    const pieces = [...parts.split('|'), ...others]
    let seed = 1
    const next = (): string => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
      return pieces[(seed >>> 10) % pieces.length] ?? ''
    }
    let patterns = 0
    for (let turn = 0; turn < 5_000; turn++) {
      const pattern = Array.from({ length: 1 + (turn % 9) }, next).join('')
      try {
        expect(RE2JS.compile(pattern).programSize(), pattern).to.be.at.most(patternSize(pattern))
        patterns += 1
      } catch (error) {
        if (!(error instanceof RE2JSException)) throw error
      }
    }
    expect(patterns).to.be.above(1_000)
  })

  // decision: Compiled filters
  it('takes the memory of its own company alone, however many there are', () => {
    const newFilters = () => new FilterCache({ company: 200_000, all: 500_000 })
    const known = newFilters()
    const filterOf = (n: number) => ({ 'data.a': { $regex: `${n}[ab]{40}` } })
    const textOf = (n: number) => JSON.stringify(filterOf(n))
    const mine = known.get('mine', textOf(0))
    for (let n = 0; n < 100; n++) known.get('large', textOf(n))
    expect(known.size).to.be.within(10, 20)
    expect(known.get('large', textOf(99))).to.equal(known.get('large', textOf(99)))
    for (let company = 0; company < 100; company++) known.get(`${company}`, textOf(company))
    expect(known.size).to.be.within(25, 50)
    expect(known.get('mine', textOf(0))).to.equal(mine)
    expect([known.has('mine'), known.has('nobody')]).to.deep.equal([true, false])
    /** How many of 100 such filters one company may keep. */
    const keptOf = (of: (n: number) => object) => {
      const filters = newFilters()
      for (const n of many(100)) filters.get('one', JSON.stringify(of(n)))
      return filters.size
    }
    const nested = [(n: number) => ({ $or: [filterOf(n)] }), (n: number) => ({ $not: filterOf(n) })]
    for (const of of [filterOf, ...nested])
      expect(keptOf(of), 'wherever the pattern stands').to.be.within(10, 20)
    const plain = keptOf((n) => ({ 'data.a': n }))
    expect(plain, 'without a pattern').to.equal(100)
  })

  it('that this release cannot read lets every event through', () => {
    const later = compileFilter({ 'data.a': { $later: 1 } })
    expect(judge(later, { event: 'a.b', data: { a: 2 } }).kind).to.equal('matches')
  })
})
