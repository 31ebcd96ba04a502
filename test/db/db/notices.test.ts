// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import type { SystemDb } from '../../../src/db/connection/connection.ts'
import * as rows from '../../../src/db/notice/notices.ts'
import { insertNotices } from '../../../src/db/notice/new-notices.ts'
import { newId } from '../../../src/domain/ids.ts'
import { presentNoticeBatch } from '../../../src/presenters/notices.ts'
import { makeNotice, makeNotices } from '../../support/notices.ts'
import { countRowsRead } from '../../support/rows-read.ts'
import { useOperations, refusalOf } from '../../support/use-operations.ts'
import { createBatch, type NoticeBatch, takeNew } from '../../../src/db/notice/batches.ts'
import { countOpenNotices } from '../../../src/db/notice/marks.ts'
import * as domain from '../../../src/domain/notice/notice.ts'
import { markNotice, markNoticeForAll, markNoticesUpTo } from '../../../src/operations/notice/marks.ts'
import { listNoticesForReader } from '../../../src/operations/notice/read.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))

describe('the rows of notices', () => {
  const its = useOperations()
  const FIRST = { limit: 10, before: undefined }
  const PAGE = { limit: 10, cursor: undefined, filter: {} }

  // decision: Notices for the operator
  it('are found for their own tenant alone, by place and by id', async () => {
    const id = await makeNotice(its.db, its.tenant(), 'webhook_gone')
    const operators = await makeNotice(its.db, null, 'most_endpoints_fail', { targetId: '' })
    const foreign = its.foreign()
    expect((await rows.findNoticePlaces(its.db, foreign, {}, FIRST)).places).to.deep.equal([])
    expect(await rows.findNotices(its.db, foreign, [id, operators])).to.deep.equal([])
    const { places } = await rows.findNoticePlaces(its.db, [its.tenant()], {}, FIRST)
    expect(places.map((place) => place.id)).to.deep.equal([id])
    expect(await rows.findNotices(its.db, [its.tenant()], [id, operators])).to.have.length(1)
  })

  // After a rollback a former release finds rows of the later one.
  it('of a kind that this release does not know break no list, count nowhere, and hold up no batch', async () => {
    const reader = { tenant: its.tenant(), userId: newId('user') }
    const known = await makeNotice(its.db, its.tenant(), 'webhook_gone')
    const unknown = await makeNotice(its.db, its.tenant(), 'of_a_later_release' as never)
    for (const isOpen of [true, undefined]) {
      const { items } = await listNoticesForReader(its.deps, reader, { ...PAGE, isOpen })
      expect(items.map(({ id }) => id)).to.deep.equal([known])
    }
    expect(await countOpenNotices(its.db, reader)).to.equal(1)
    expect(await rows.findNotices(its.db, [its.tenant()], [unknown])).to.deep.equal([])
    const [row] = await its.db('notices').where({ id: unknown })
    const [sent] = presentNoticeBatch('ntb_1', new Date(), [rows.toNotice(row)]).data
    expect(sent?.message).to.include('later release')
  })

  // decision: What a list reads
  it('cost a list no more of them for more notices, that of all companies neither', async () => {
    const fill = () => makeNotices(its.db, its.tenant(), 1_100)
    const readOf = (list: (db: SystemDb) => Promise<unknown>) => countRowsRead(its.db, list)
    await fill()
    for (const filter of [{}, { createdBefore: new Date(Date.now() + 60_000) }]) {
      expect(await readOf((db) => rows.findNoticePlaces(db, [its.tenant()], filter, FIRST))).to.be.below(100)
      expect(await readOf((db) => rows.findAllNoticePlaces(db, filter, FIRST))).to.be.below(100)
    }
    const reader = { tenant: its.tenant(), userId: newId('user') }
    const counted = () => countRowsRead(its.db, (db) => countOpenNotices(db, reader))
    const read = await counted()
    await fill()
    expect(await countOpenNotices(its.db, reader)).to.equal(1_000)
    expect(await counted()).to.be.within(1_000, read + 50)
  })
})

// decision: Batches of notices
describe('the notices that are told and sent', () => {
  const its = useOperations()
  beforeEach(() => its.empty('notices', 'notice_batches'))

  const make = async (count: number, first = 0): Promise<string[]> => {
    const ids: string[] = []
    for (let n = first; n < first + count; n++)
      ids.push(await makeNotice(its.db, its.tenant(), 'webhook_gone', { createdAt: at(n) }))
    return ids
  }
  const idsOf = (notices: readonly domain.Notice[]) => notices.map(({ id }) => id)
  const toBatch = (notices: readonly domain.Notice[]): NoticeBatch => ({
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
    const operators = await makeNotice(its.db, null, 'most_endpoints_fail', { createdAt: at(9) })
    await takeNew(its.db, 'waiting', 100, { after: '' })
    await make(1, 5)
    expect(await batchOf(3)).to.equal([operators, ids[0], ids[1]].join())
    expect(await batchOf(3)).to.equal([ids[2], ids[3]].join())
    expect(await batchOf(3)).to.equal(undefined)
  })

  it('come into one batch each when two callers make batches at once by accident', async () => {
    for (let round = 0; round < 5; round++) {
      const ids = await make(6)
      const operators = await makeNotice(its.db, null, 'most_endpoints_fail', { createdAt: at(9) })
      await takeNew(its.db, 'waiting', 100, { after: '' })
      const batches = [...(await Promise.all([batchOf(4), batchOf(4)])), await batchOf(100)]
      const batched = batches.flatMap((body) => body?.split(',') ?? [])
      expect(batched.sort()).to.deep.equal([...ids, operators].sort())
    }
  })
})

// decision: Notices that are done
describe('the notices that users are done with', () => {
  const its = useOperations()
  const make = (second: number, targetId = newId('webhook')) =>
    makeNotice(its.db, its.tenant(), 'deliveries_failed', { createdAt: at(second), targetId, total: 1 })
  const reader = async () => ({ tenant: its.tenant(), userId: await its.keyring.user() })
  const list = (of: domain.NoticeReader, isOpen: boolean | undefined) =>
    listNoticesForReader(its.deps, of, { limit: 100, cursor: undefined, filter: {}, isOpen })
  const idsOf = async (of: domain.NoticeReader, isOpen?: boolean) =>
    (await list(of, isOpen)).items.map(({ id }) => id)
  const mark = (of: domain.NoticeReader, id: string, isDone = true): Promise<unknown> =>
    markNotice(its.deps, of, id, isDone)
  const upTo = (of: domain.NoticeReader, id: string): Promise<unknown> => markNoticesUpTo(its.deps, of, id)

  it('leave the list and the number of their user alone, one by one or all up to one, and come back', async () => {
    const [ada, bob] = [await reader(), await reader()]
    const ids = [await make(0), await make(1), await make(2), await make(2)].sort()
    const [first, second, third, newest] = ids as [string, string, string, string]
    const steps: [string, () => Promise<unknown>, string[]][] = [
      ['nothing is done', () => Promise.resolve(), [newest, third, second, first]],
      ['one is', () => mark(ada, second), [newest, third, first]],
      ['it is open again', () => mark(ada, second, false), [newest, third, second, first]],
      ['all up to the third', () => upTo(ada, third), [newest]],
      ['one of them is open again', () => mark(ada, first, false), [newest, first]],
      ['up to an older one: the place stays', () => upTo(ada, second), [newest]],
      ['all', () => upTo(ada, newest), []],
    ]
    for (const [name, step, open] of steps) {
      await step()
      expect(await idsOf(ada, true), name).to.deep.equal(open)
      expect(await idsOf(ada, false), name).to.have.members(ids.filter((id) => !open.includes(id)))
      expect(await countOpenNotices(its.db, ada), name).to.equal(open.length)
    }
    expect(await idsOf(ada)).to.have.length(4)
    expect(await idsOf(bob, true)).to.have.length(4)
    expect(await its.db('notice_marks').where({ user_id: ada.userId })).to.deep.equal([])
  })

  it('are done for all when an admin says so, with who and when, and in the audit once', async () => {
    const [ada, bob] = [await reader(), await reader()]
    const actor = { id: ada.userId }
    const id = await make(0)
    const forAll = (isDone: boolean) => markNoticeForAll(its.deps, its.tenant(), actor, id, isDone)
    expect(await refusalOf(forAll(true))).to.match(/^INSUFFICIENT_PERMISSIONS: .*notices\.write/)
    await its.set('users', { id: ada.userId }, { role: 'admin' })
    for (let time = 0; time < 2; time++) await forAll(true)
    expect(await idsOf(bob, true)).to.deep.equal([])
    const [notice] = (await list(bob, false)).items
    expect(notice).to.include({ id, doneBy: ada.userId, doneByName: 'A user', isDoneForReader: false })
    expect(notice?.doneAt).to.be.an.instanceOf(Date)
    await mark(ada, id)
    await forAll(false)
    expect([await idsOf(bob, true), await idsOf(ada, true)]).to.deep.equal([[id], []])
    expect(await its.actions(id)).to.deep.equal(['notice.done', 'notice.reopen'])
  })

  it('stay done while their number rises; the next hour of the same cause is a new one', async () => {
    const [ada, targetId] = [await reader(), newId('webhook')]
    const id = await make(0, targetId)
    await mark(ada, id)
    const again = { kind: 'deliveries_failed', tenant: its.tenant(), targetId } as const
    await insertNotices(its.db, [domain.noticeOf({ ...again, causeAt: at(9) }, { total: 7 })])
    expect((await list(ada, undefined)).items.map(({ total }) => total)).to.deep.equal([7])
    expect(await idsOf(ada, true)).to.deep.equal([])
    await insertNotices(its.db, [domain.noticeOf({ ...again, causeAt: at(3_600) }, { total: 1 })])
    expect((await idsOf(ada, true)).map((open) => open === id)).to.deep.equal([false])
  })

  it('are marked by nobody else, cost each user a bounded number of rows, and go with the user', async () => {
    const ada = await reader()
    const [id, other] = [await make(0), await make(1)]
    for (const tenant of its.foreign()) {
      const [stranger, actor] = [{ tenant, userId: ada.userId }, COMMAND_LINE]
      for (const work of [mark, upTo])
        expect(await refusalOf(work(stranger, id))).to.match(/^(NOT_FOUND: Notice|UNAUTHORIZED: You are not)/)
      expect(await refusalOf(markNoticeForAll(its.deps, tenant, actor, id, true))).to.match(/^NOT_FOUND/)
    }
    for (const wrong of [newId('notice'), 'ntc_1', `${id} `])
      expect(await refusalOf(mark(ada, wrong)), wrong).to.equal('NOT_FOUND: Notice not found.')
    expect(await idsOf(ada, true)).to.deep.equal([other, id])
    const owner = { company_id: ada.tenant.companyId, user_id: ada.userId }
    const markOf = () => ({ ...owner, notice_id: newId('notice'), is_done: true })
    await its.db('notice_marks').insert(Array.from({ length: domain.NOTICE_MARKS_AT_MOST - 1 }, markOf))
    const refusals = await Promise.all([id, other].map((each) => refusalOf(mark(ada, each))))
    expect(refusals.sort()[0]).to.match(/^CONFLICT: You have marked 1000/)
    expect(refusals[1]).to.equal('none')
    await upTo(ada, id)
    await mark(ada, other, false)
    await its.keyring.remove(ada.userId)
    for (const table of ['notice_marks', 'notice_places'])
      expect(await its.db(table).where(owner), table).to.deep.equal([])
    expect(await refusalOf(mark(ada, id))).to.match(/^UNAUTHORIZED/)
  })
})
