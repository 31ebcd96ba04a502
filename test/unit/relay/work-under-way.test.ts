import { expect } from 'chai'
import { PAGE_QUEUE, type OutboxKind } from '../../../src/db/outbox.ts'
import type { Claim } from '../../../src/db/system/claims.ts'
import { WorkUnderWay } from '../../../src/relay/work-under-way.ts'

describe('the pages of commands that go over a whole webhook', () => {
  /** A relay whose clock the test moves, and a page of a command that takes so long. */
  function setUp() {
    let nowMs = 0
    const work = new WorkUnderWay(() => nowMs)
    const pages = () => work.room((free) => free, false).pages
    const wait = (ms: number) => (nowMs += ms)
    function page(kind: OutboxKind, tookMs: number): void {
      const row = { id: 1, kind, targetId: 'whk', companyId: 'com', queue: PAGE_QUEUE, version: 1 }
      const claim: Claim = { row: { ...row, argument: null, tries: 0 }, delivery: undefined, isDirect: false }
      const end = work.begin(claim)
      expect(pages(), 'pages beside another').to.equal(0)
      wait(tookMs)
      end({ isMore: false })
    }
    return { pages, wait, page }
  }

  // decision: Deleting or activating a webhook
  it('begin twice a second at most while each calls Temporal', () => {
    const { pages, wait, page } = setUp()
    expect(pages()).to.equal(1)
    page('cancel-webhook', 100)
    wait(399)
    expect(pages()).to.equal(0)
    wait(1)
    expect(pages()).to.equal(1)
  })

  // decision: Deleting or activating a webhook
  it('take half of the time at most while they only use the database', () => {
    const { pages, wait, page } = setUp()
    for (const tookMs of [20, 700]) {
      page('resume-webhook', tookMs)
      wait(tookMs - 1)
      expect(pages()).to.equal(0)
      wait(1)
      expect(pages()).to.equal(1)
    }
  })
})
