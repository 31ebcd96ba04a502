// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import type { SystemDb } from '../../../src/db/connection/connection.ts'
import { findNoticePlaces, findNotices } from '../../../src/db/notice/notices.ts'
import { insertNotices } from '../../../src/db/notice/new-notices.ts'
import { findAllNoticePlaces } from '../../../src/db/notice/notices.ts'
import { newId } from '../../../src/domain/ids.ts'
import { type Notice, noticeOf } from '../../../src/domain/notice/notice.ts'
import { foreignTenants } from '../../support/foreign-tenants.ts'
import { makeNotice } from '../../support/notices.ts'
import { countRowsRead } from '../../support/rows-read.ts'
import { useOperations } from '../../support/use-operations.ts'
import { createBatch, type NoticeBatch, takeNew } from '../../../src/db/notice/batches.ts'

describe('the rows of notices', () => {
  const its = useOperations()
  const FIRST = { limit: 10, before: undefined }

  // decision: Notices for the operator
  it('are found for their own tenant alone, by place and by id', async () => {
    const id = await makeNotice(its.db, its.tenant(), 'webhook_gone')
    const operators = await makeNotice(its.db, null, 'most_endpoints_fail', { targetId: '' })
    for (const foreign of foreignTenants(its.tenant())) {
      expect((await findNoticePlaces(its.db, [foreign], {}, FIRST)).places).to.deep.equal([])
      expect(await findNotices(its.db, [foreign], [id, operators])).to.deep.equal([])
    }
    const { places } = await findNoticePlaces(its.db, [its.tenant()], {}, FIRST)
    expect(places.map((place) => place.id)).to.deep.equal([id])
    expect(await findNotices(its.db, [its.tenant()], [id, operators])).to.have.length(1)
  })

  // decision: What a list reads
  it('cost a list no more of them for more notices, that of all companies neither', async () => {
    const fill = (count: number) =>
      insertNotices(
        its.db,
        Array.from({ length: count }, () => {
          const what = { kind: 'webhook_gone', tenant: its.tenant(), targetId: newId('webhook') } as const
          return noticeOf({ ...what, causeAt: new Date() })
        }),
      )
    const readOf = (list: (db: SystemDb) => Promise<unknown>) => countRowsRead(its.db, list)
    await fill(2_000)
    for (const filter of [{}, { createdBefore: new Date(Date.now() + 60_000) }]) {
      expect(await readOf((db) => findNoticePlaces(db, [its.tenant()], filter, FIRST))).to.be.below(100)
      expect(await readOf((db) => findAllNoticePlaces(db, filter, FIRST))).to.be.below(100)
    }
  })
})

// decision: Batches of notices
describe('the notices that are told and sent', () => {
  const its = useOperations()
  beforeEach(() => its.empty('notices', 'notice_batches'))

  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
  const make = async (count: number, first = 0): Promise<string[]> => {
    const ids: string[] = []
    for (let n = first; n < first + count; n++)
      ids.push(await makeNotice(its.db, its.tenant(), 'webhook_gone', { createdAt: at(n) }))
    return ids
  }
  const idsOf = (notices: readonly Notice[]) => notices.map(({ id }) => id)
  const toBatch = (notices: readonly Notice[]): NoticeBatch => ({
    id: newId('noticeBatch'),
    body: Buffer.from(idsOf(notices).join()),
  })
  const batchOf = async (limit: number) =>
    (await createBatch(its.db, limit, { after: '' }, toBatch))?.body.toString()

  // decision: One notice for each cause
  it('are taken once each, oldest first, however many take them at once', async () => {
    const ids = await make(40)
    expect(idsOf(await takeNew(its.db, 'waiting', 5, { after: '' }))).to.deep.equal(ids.slice(0, 5))
    const taken = await Promise.all([1, 2, 3, 4].map(() => takeNew(its.db, 'waiting', 40, { after: '' })))
    expect(taken.flatMap(idsOf).sort()).to.deep.equal(ids.slice(5).sort())
    expect(await takeNew(its.db, 'waiting', 5, { after: '' })).to.deep.equal([])
  })

  it('come into one batch each, those for the operator first, then the oldest', async () => {
    const ids = await make(4)
    const operators = await makeNotice(its.db, null, 'most_endpoints_fail', {
      targetId: '',
      createdAt: at(9),
    })
    await takeNew(its.db, 'waiting', 100, { after: '' })
    await make(1, 5)
    expect(await batchOf(3)).to.equal([operators, ids[0], ids[1]].join())
    expect(await batchOf(3)).to.equal([ids[2], ids[3]].join())
    expect(await batchOf(3)).to.equal(undefined)
  })

  it('come into one batch each when two callers make batches at once by accident', async () => {
    for (let round = 0; round < 5; round++) {
      const ids = await make(6)
      const operators = await makeNotice(its.db, null, 'most_endpoints_fail', {
        targetId: `${round}`,
        createdAt: at(9),
      })
      await takeNew(its.db, 'waiting', 100, { after: '' })
      const batches = [...(await Promise.all([batchOf(4), batchOf(4)])), await batchOf(100)]
      const batched = batches.flatMap((body) => body?.split(',') ?? [])
      expect(batched.sort()).to.deep.equal([...ids, operators].sort())
    }
  })
})
