import { expect } from 'chai'
import * as pages from '../../../src/domain/pagination.ts'

describe('the total of a page', () => {
  const LIMIT = 10

  /** The page that a list of `records` records returns when its counter says `counted`. */
  function answered(records: number, page: number, counted: number) {
    const request = { limit: LIMIT, page }
    const found = Math.max(0, Math.min(LIMIT + 1, records - (page - 1) * LIMIT))
    const total = pages.totalOfPage(request, found, counted)
    return { total, hasMore: pages.hasMore({ ...request, total }) }
  }

  // decision: Totals of records
  it('shows another page exactly when there is one, whatever the counter says', () => {
    for (const records of [0, 1, 9, 10, 11, 20, 35])
      for (const page of [1, 2, 3, 4, 5])
        for (const counted of [0, 5, 10, 20, 1_000]) {
          const what = `${records} records, page ${page}, counter ${counted}`
          expect(answered(records, page, counted).hasMore, what).to.equal(records > page * LIMIT)
        }
  })

  it('is that of the counter while there are more pages, and known exactly on the last one', () => {
    for (const page of [1, 3]) expect(answered(35, page, 35)).to.deep.equal({ total: 35, hasMore: true })
    const last = [answered(35, 4, 1_000), answered(35, 4, 3), answered(0, 1, 7)].map(({ total }) => total)
    expect(last).to.deep.equal([35, 35, 0])
    expect([answered(5, 2, 5).total, answered(5, 2, 99).total], 'beyond it').to.deep.equal([5, 10])
  })
})

describe('the window of a list', () => {
  it('is refused where it ends before it begins, and may be open at either end, or empty', () => {
    const [early, late] = [new Date(1_000), new Date(2_000)]
    const swapped = { createdAfter: late, createdBefore: early }
    const right = { createdAfter: early, createdBefore: late }
    const open = [{ createdAfter: late }, { createdBefore: early }, {}]
    const all = [swapped, right, { ...right, createdBefore: early }, ...open]
    expect(all.filter(pages.endsBeforeItBegins)).to.deep.equal([swapped])
  })
})
