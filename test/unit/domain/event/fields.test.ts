import { expect } from 'chai'
import * as records from '../../../../src/domain/event/fields.ts'
import { RESOURCE_FAMILIES } from '../../../../src/domain/event/resources.ts'
import { expectSamples, type Samples } from '../../../support/field-rules.ts'
import { words } from '../../../support/words.ts'

const textOf = (length: number): Samples => ({
  takes: ['a', '漢', 'x'.repeat(length), '😀'.repeat(length)],
  refuses: ['', '  ', 'a\0', 'x'.repeat(length + 1), '😀'.repeat(length + 1), 7, null],
  inWords: ['\ud800'],
})
const orNull = ({ takes, refuses, ...others }: Samples): Samples => ({
  ...others,
  takes: [...takes, null],
  refuses: refuses.filter((value) => value !== null),
})
const name = textOf(255)
const custom: Samples = { takes: [{}, { a: { b: [null] } }], refuses: [null, 'a', []] }
const label = 'x'.repeat(63)
const labels = `${label}.${label}.${label}`

const FIELDS: Readonly<Record<string, Readonly<Record<string, Samples>>>> = {
  organizations: {
    name,
    domain: orNull({
      takes: [...words('example.com a-1.example.co bücher.example'), `${labels}.${'x'.repeat(61)}`],
      refuses: [
        ...words('example example.com. .com -a.com a-.com a.1 a.-b https://a.example'),
        ...['', 'exa mple.com', `${label}x.com`, `${labels}.${'x'.repeat(62)}`, 7],
      ],
    }),
    custom,
  },
  contacts: {
    name,
    email: orNull({
      takes: [
        ...words("ada@example.com žofie@mail.example o'hara+1.b@a.example.com"),
        `${'x'.repeat(64)}@example.com`,
      ],
      refuses: [
        ...words('ada @example.com ada@example a..b@example.com .a@example.com'),
        ...['', 'a b@example.com', `${'x'.repeat(65)}@example.com`, `a@${labels}.${'x'.repeat(62)}`, 7],
      ],
    }),
    phone: orNull(textOf(50)),
    custom,
  },
  deals: {
    name,
    stage: textOf(100),
    amount: orNull({
      takes: [0, 12.5, Number.MAX_SAFE_INTEGER],
      refuses: [-1, '1', Number.MAX_SAFE_INTEGER + 1],
    }),
    currency: orNull({ takes: ['EUR'], refuses: ['', 'eur', 'EU', 'EURO', 'xEUR', 7] }),
    custom,
  },
  activities: {
    type: { takes: ['call', 'email', 'meeting', 'note'], refuses: ['', 'visit', null] },
    subject: textOf(255),
    body: orNull(textOf(20_000)),
    custom,
  },
  tasks: {
    name,
    due_at: orNull({
      takes: words('2026-01-20T12:00Z 2026-01-20T12:00:00.5+02:00 2024-02-29T23:59:59Z 2026-04-30T24:00Z'),
      refuses: [
        ...words(`
          2026-01-20 2026-01-20T12:00 2026-04-31T12:00Z 2026-13-01T12:00Z 2026-01-32T12:00Z 2026-01-20T25:00Z
          2026-01-20T12:60Z 2026-01-20T12:00:60Z 2026-02-30T12:00Z 2026-01-20T24:01Z 2026-01-20T12:00+24:00
          2026-01-20T12:00Zx
        `),
        ...['', ' 2026-01-20T12:00Z', `2026-01-20T12:00:00.${'0'.repeat(10)}Z`, 7],
      ],
      inWords: ['2026-02-29T12:00Z'],
    }),
    completed: { takes: [true, false], refuses: ['true', null] },
    custom,
  },
}

describe('the fields of records', () => {
  for (const description of Object.values(RESOURCE_FAMILIES)) {
    const { family } = description
    const rules = records.resourceFields(description, (rule) => rule)
    it(`of ${family} are those of its description`, () => {
      expect(Object.keys(rules)).to.deep.equal(Object.keys(FIELDS[family]!))
      expect(Object.keys(rules)).to.deep.equal(Object.keys(description.fields))
    })

    for (const [field, samples] of Object.entries(FIELDS[family]!)) {
      // decision: What the description promises
      it(`take and refuse as ${family}.${field} what /openapi.json says`, () =>
        expectSamples(rules[field]!, samples))
    }
  }

  it('are required in a new record where they have no default, and never in a change', () => {
    const { activities } = RESOURCE_FAMILIES
    const call = { type: 'call', subject: 'a' }
    expect(records.checkNewRecord(activities, call)).to.deep.equal(call)
    const missing = '"type" is required. "subject" is required.'
    expect(() => records.checkNewRecord(activities, {})).to.throw(missing)
    expect(records.checkRecordChange(activities, {})).to.deep.equal({})
    for (const check of [records.checkNewRecord, records.checkRecordChange])
      expect(() => check(activities, { ...call, colour: 'red' })).to.throw('"colour" is not allowed.')
  })
})
