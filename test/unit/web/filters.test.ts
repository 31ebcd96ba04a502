import { expect } from 'chai'
import { EVENT_CATALOG } from '../../../src/domain/event/catalog.ts'
import { parseFilter } from '../../../src/domain/webhook/filter/check.ts'
import { parseFilterText } from '../../../web/src/webhooks/filter/filter-text.ts'
import { pathsOf } from '../../../web/src/webhooks/filter/paths.ts'
import { filterOfRows, OPERATORS, rowsOfFilter } from '../../../web/src/webhooks/filter/rows.ts'

describe('the rows of a filter', () => {
  for (const json of [
    '{"data.stage":"won","data.amount":{"$gte":5,"$lt":9}}',
    '{"data.stage":{"$in":["won","5",5,null,true]}}',
    '{"$or":[{"data.stage":{"$exists":false}},{"event":{"$regex":"a,b"}}]}',
  ])
    it(`stand for the same filter: ${json}`, () => {
      const filter = parseFilterText(json)!
      const again = filterOfRows(rowsOfFilter(filter)!)
      // Two conditions on one path need a list.
      const flat = again?.['$and'] ? rowsOfFilter(again) : rowsOfFilter(filter)
      expect(flat).to.deep.equal(rowsOfFilter(filter))
      expect(parseFilter(again!).ok).to.equal(true)
    })

  it('take what is typed as a number, a truth value, null or a text', () => {
    const valueOf = (value: string) =>
      filterOfRows({ mode: 'all', rows: [{ path: 'data.a', operator: '$ne', value }] })
    const read = { 5: 5, '"5"': '5', null: null, won: 'won', '{"a":1}': '{"a":1}' }
    for (const [typed, value] of Object.entries(read))
      expect(valueOf(typed), typed).to.deep.equal({ 'data.a': { $ne: value } })
    expect(filterOfRows({ mode: 'any', rows: [] })).to.equal(null)
  })

  it('leave a filter alone that says more than they can', () => {
    for (const json of [
      '{"$not":{"data.a":1}}',
      '{"$or":[{"data.a":1,"data.b":1}]}',
      '{"$and":[{"$or":[{"data.a":1}]}]}',
      '{"$or":[{"data.a":1}],"event":"a"}',
      '{"data.a":{"$not":{"$eq":1}}}',
      '{"data.a":{"$in":["a,b"]}}',
    ])
      expect(rowsOfFilter(parseFilterText(json)!), json).to.equal(undefined)
    for (const text of ['[', '[]', '5', 'won']) expect(parseFilterText(text), text).to.equal(undefined)
    expect(parseFilterText(' ')).to.equal(null)
  })

  it('offer fields and comparisons that the service takes, of every type of event', () => {
    const paths = pathsOf(EVENT_CATALOG.map(({ example }) => example))
    expect(paths).to.include.members(['event', 'subject', 'data.stage', 'previous.stage'])
    for (const path of paths)
      for (const [operator] of OPERATORS) {
        const filter = filterOfRows({ mode: 'all', rows: [{ path, operator, value: '1' }] })!
        expect(parseFilter(filter).ok, `${path} ${operator}`).to.equal(true)
      }
  })
})
