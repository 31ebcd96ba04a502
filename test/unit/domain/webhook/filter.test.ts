import { expect } from 'chai'
import { parseFilter } from '../../../../src/domain/webhook/filter/check.ts'
import { judge } from '../../../../src/domain/webhook/filter/compile.ts'
import { FILTER_LIMITS, type Filter } from '../../../../src/domain/webhook/filter/condition.ts'
import { compileFilter } from '../../../../src/domain/webhook/filter/cache.ts'
import { because } from '../../../../src/domain/webhook/filter/words.ts'

const ENVELOPE = {
  event: 'deal.updated',
  subject: 'deal_1',
  data: {
    stage: 'won',
    amount: 500,
    owner: null,
    isOpen: false,
    tags: ['new', 'big'],
    parcels: [{ length: 150 }, { length: 20 }],
    grid: [[1, 2], [3]],
    lines: [{ sku: 'a', n: 1 }, { sku: 'b', n: 5 }, { n: 9 }],
    note: 'Gruß an ACME',
  },
  previous: { stage: 'open' },
}

const filter = (json: string): Filter => JSON.parse(json) as Filter
const refusalOf = (value: unknown) => {
  const parsed = parseFilter(value as Filter)
  return parsed.ok ? undefined : parsed.reason
}
const verdictOf = (json: string, envelope: object = ENVELOPE) =>
  judge(compileFilter(filter(json)), envelope).kind

/** Filters, grouped by whether they match ENVELOPE. */
const MATCHES: Readonly<Record<string, boolean>> = {
  '{"event":"deal.updated","subject":"deal_1","data.isOpen":false}': true,
  '{"data.stage":"won","previous.stage":"open"}': true,
  '{"data.stage":"won","previous.stage":"won"}': false,
  '{"data.amount":{"$gt":499,"$lte":500}}': true,
  '{"data.amount":{"$gte":500,"$lt":501}}': true,
  '{"data.amount":{"$lt":500}}': false,
  '{"data.amount":{"$gt":500}}': false,
  '{"data.amount":{"$gte":501}}': false,
  '{"data.amount":{"$lte":499}}': false,
  '{"data.amount":{"$gte":"500"}}': false,
  '{"data.stage":{"$in":["lost","won"]}}': true,
  '{"data.stage":{"$nin":["lost","won"]}}': false,
  '{"data.stage":{"$nin":["lost"],"$ne":"open"}}': true,
  '{"data.tags":"big"}': true,
  '{"data.tags":{"$ne":"big"}}': false,
  '{"data.lines.1.sku":"b"}': true,
  '{"data.lines.0.sku":"b"}': false,
  '{"data.lines.n":{"$gt":8}}': true,
  '{"data.parcels.length":{"$gt":100}}': true,
  '{"data.parcels.length":2}': false,
  '{"data.tags.keys.length":0}': false,
  '{"data.tags.length":{"$exists":false},"data.tags.2":null}': true,
  '{"data.grid.0":2,"data.grid":{"$ne":2},"data.grid.length":{"$exists":false}}': true,
  '{"data.owner":null,"data.absent":null}': true,
  '{"data.owner":{"$exists":true},"data.absent":{"$exists":false}}': true,
  '{"data.stage.length":{"$exists":true}}': false,
  '{"data.absent.more":{"$gt":1}}': false,
  '{"data.absent":{"$ne":1}}': true,
  '{"previous":{"$exists":true}}': true,
  '{"data":{"$eq":"won"}}': false,
  '{"data.note":{"$regex":"(?i)acme$"}}': true,
  '{"data.note":{"$regex":"^acme"}}': false,
  '{"data.amount":{"$regex":"5"}}': false,
  '{"data.amount":{"$not":{"$gt":100,"$lt":600}}}': false,
  '{"data.amount":{"$not":{"$gt":100,"$lt":400}}}': true,
  '{"$not":{"data.stage":"won","data.amount":1}}': true,
  '{"$or":[{"data.stage":"lost"},{"data.amount":500,"event":"deal.updated"}]}': true,
  '{"$or":[{"data.stage":"lost"},{"$and":[{"data.amount":500},{"event":"x"}]}]}': false,
}

/** Nests a filter in `depth` others. */
const nested = (count: number, wrap: (inner: object) => object, inner: object = { 'data.a': 1 }): object =>
  Array.from({ length: count }).reduce<object>((part) => wrap(part), inner)
const not = ($not: object) => ({ $not })
const or = (inner: object) => ({ $or: [inner] })
const and = (inner: object) => ({ $and: [inner] })
const ofBytes = (bytes: number) => ({ 'data.a': 'x'.repeat(bytes - '{"data.a":""}'.length) })

/** Filters of the maximum size: in depth, in a pattern, and in bytes. */
const LARGEST: readonly object[] = [
  ...[not, or, and].map((wrap) => nested(4, wrap)),
  { 'data.a': nested(3, not, { $eq: 1 }) },
  { 'data.a': { $regex: `${'(?i)'.repeat(49)}aaaa` } },
  ofBytes(FILTER_LIMITS.bytes),
]

/** Refused filters, each with the beginning of its refusal. */
const REFUSED: readonly (readonly [unknown, string])[] = [
  [{}, '"filter" must not be {}: null removes it'],
  [{ 'data.a': {} }, '"filter.data.a" must not be {}'],
  [{ id: 1 }, '"filter.id" is no part of an event: a path begins with event, data, previous, subject'],
  [{ 'database.a': 1 }, '"filter.database.a" is no part'],
  [{ 'event.length': 1 }, '"filter.event.length" goes on behind "event"'],
  [{ 'subject.length': 1 }, '"filter.subject.length" goes on behind "subject"'],
  [{ $where: '1' }, '"filter.$where" is no operator here'],
  [
    { $or: [{ 'data.a': { $size: 1 } }] },
    '"filter.$or[0].data.a.$size" is no operator of a field: they are $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists, $regex and $not',
  ],
  [{ $or: [1] }, '"filter.$or[0]" must be an object'],
  [{ data: { stage: 'won' } }, '"filter.data.stage" is inside another field'],
  [{ $and: [] }, '"filter.$and" must be an array of 1 to 100'],
  [{ $and: [{ $or: [{ 'data.a': { $gt: true } }] }] }, '"filter.$and[0].$or[0].data.a.$gt" must be a number'],
  [{ 'data.a': [1] }, '"filter.data.a" must be text, a number, true, false or null'],
  [JSON.parse('{"data.a":1e999}'), '"filter.data.a" must be text, a number'],
  [{ [`data.${'x'.repeat(108)}`]: [1] }, `"filter.data.${'x'.repeat(108)}" must be text`],
  [{ [`data.${'x'.repeat(109)}`]: [1] }, `"filter.data.${'x'.repeat(48)}…${'x'.repeat(59)}" must be text`],
  [{ 'data.a': { $eq: { b: 1 } } }, '"filter.data.a.$eq" must be text'],
  [{ 'data.a': { $in: Array(101).fill(1) } }, '"filter.data.a.$in" must be an array of 1 to 100'],
  [{ 'data.a': { $in: [{ $gt: 1 }] } }, '"filter.data.a.$in[0]" must be text'],
  [{ 'data.a': { $exists: 1 } }, '"filter.data.a.$exists" must be true or false'],
  [{ 'data.a': { $not: 1 } }, '"filter.data.a.$not" must be an object with operators'],
  [{ 'data.a': { $regex: '(' } }, '"filter.data.a.$regex" is no pattern of RE2: missing closing )'],
  [{ 'data.a': { $regex: String.raw`(a)\1` } }, '"filter.data.a.$regex" is no pattern of RE2'],
  [{ 'data.a': { $regex: 'a(?=b)' } }, '"filter.data.a.$regex" is no pattern of RE2'],
  ...['', 7, `${'(?i)'.repeat(49)}aaaaa`].map(
    ($regex) => [{ 'data.a': { $regex } }, '"filter.data.a.$regex" must be text of 1 to 200'] as const,
  ),
  [{ 'data.a': { $regex: 'a{61}' } }, '"filter.data.a.$regex" is too complex'],
  [{ 'data.a': { $regex: 'a{30}' }, 'data.b': { $regex: 'b{30}' } }, '"filter.data.b.$regex" is too complex'],
  [{ $or: Array(11).fill({ 'data.a': { $regex: 'a' } }) }, '"filter.$or[10].data.a.$regex" is one too many'],
  [JSON.parse('{"__proto__":{"data.a":1}}'), '"filter.__proto__" is no part of an event'],
  [{ 'data.__proto__.polluted': 1 }, '"filter.data.__proto__.polluted" has an empty or reserved name'],
  [{ 'data..a': 1 }, '"filter.data..a" has an empty or reserved name'],
  [nested(5, not), '"filter.$not.$not.$not.$not.$not" is nested'],
  [nested(5, and), `"filter${'.$and[0]'.repeat(5)}" is nested`],
  [nested(5, or), `"filter${'.$or[0]'.repeat(5)}" is nested`],
  [{ 'data.a': nested(5, not, { $eq: 1 }) }, `"filter.data.a${'.$not'.repeat(4)}" is nested`],
  [nested(4, not, { 'data.a': { $eq: 1, $gt: 0 } }), '"filter.$not.$not.$not.$not.data.a" is nested'],
  [ofBytes(FILTER_LIMITS.bytes + 1), '"filter" must not be larger than 4096 bytes'],
]

/** The judgement of ENVELOPE by a filter. */
const SAID: Readonly<Record<string, string>> = {
  '{"event":"deal.updated","data.stage":"lost"}': 'data.stage is "won"; it must be "lost".',
  '{"data.stage":{"$ne":"won"}}': 'data.stage is "won"; it must not be "won".',
  '{"data.lines.sku":{"$in":["x"]}}': 'data.lines.sku is ["a","b",null]; it must be one of ["x"].',
  '{"data.stage":{"$nin":["won"]}}': 'data.stage is "won"; it must be none of ["won"].',
  '{"data.absent":{"$gt":1}}': 'data.absent is missing; it must be greater than 1.',
  '{"data.amount":{"$gte":501}}': 'data.amount is 500; it must be 501 or greater.',
  '{"data.amount":{"$lt":500}}': 'data.amount is 500; it must be less than 500.',
  '{"data.amount":{"$lte":499}}': 'data.amount is 500; it must be 499 or less.',
  '{"data.owner.name":{"$exists":true}}': 'data.owner.name is missing; it must be there.',
  '{"data.owner":{"$exists":false}}': 'data.owner is null; it must not be there.',
  '{"data.stage.length":{"$exists":true}}': 'data.stage.length is missing; it must be there.',
  '{"data.parcels.length":2}': 'data.parcels.length is [150,20]; it must be 2.',
  '{"data.stage":{"$regex":"^x"}}': 'data.stage is "won"; it must match "^x".',
  '{"$or":[{"data.a":1},{"data.b":1}]}': 'None of the 2 alternatives in filter.$or holds.',
  '{"data.stage":{"$not":{"$eq":"won"}}}': 'What filter.data.stage.$not excludes is the case.',
  '{"data.stage":"won","data.amount":500}': 'All 2 conditions hold.',
  '{"data.stage":"won"}': 'The condition holds.',
}

describe('a filter', () => {
  for (const [json, isMatch] of Object.entries(MATCHES)) {
    // decision: Language of filters
    // decision: Our own code evaluates filters
    it(`${isMatch ? 'lets through' : 'drops'} the event: ${json}`, () => {
      expect(refusalOf(filter(json))).to.equal(undefined)
      expect(verdictOf(json)).to.equal(isMatch ? 'matches' : 'fails')
    })
  }

  for (const [value, start] of REFUSED) {
    // decision: Checks of a filter
    it(`is refused with the place: ${start}`, () =>
      expect(refusalOf(value)).to.satisfy((reason?: string) => reason?.startsWith(start)))
  }

  it('may be 5 objects deep, and as large as the limits say', () => {
    for (const largest of LARGEST) expect(refusalOf(largest), JSON.stringify(largest)).to.equal(undefined)
  })

  it('says why an event fails, or that all conditions hold', () => {
    const said = (given: Filter, envelope: object = ENVELOPE) => {
      const compiled = compileFilter(given)
      return because(compiled, judge(compiled, envelope), envelope)
    }
    for (const [json, words] of Object.entries(SAID)) expect(said(filter(json)), json).to.equal(words)
    const long = { data: { text: 'x'.repeat(100), fits: 'x'.repeat(78), cut: `${'x'.repeat(78)}😀` } }
    const shown = { text: `${'x'.repeat(79)}…`, fits: `${'x'.repeat(78)}"`, cut: `${'x'.repeat(78)}…` }
    for (const [name, value] of Object.entries(shown))
      expect(said({ [`data.${name}`]: 1 }, long)).to.equal(`data.${name} is "${value}; it must be 1.`)
    expect(because(null, { kind: 'matches' }, ENVELOPE)).to.equal('There is no filter: every event matches.')
  })
})
