import { expect } from 'chai'
import {
  createBatch,
  deleteBatch,
  findOpenBatch,
  takeNew,
  type NoticeBatch,
} from '../../../../src/db/system/notice-batches.ts'
import { newId } from '../../../../src/domain/ids.ts'
import type { Notice } from '../../../../src/domain/notice/notice.ts'
import { makeNotice } from '../../../support/notices.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('the notices that are told and sent', () => {
  const its = useOperations()
  beforeEach(async () => {
    for (const table of ['notices', 'notice_batches']) await its.db(table).delete()
  })

  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
  const make = async (count: number, first = 0): Promise<string[]> => {
    const ids: string[] = []
    for (let n = first; n < first + count; n++)
      ids.push(await makeNotice(its.db, its.tenant(), 'webhook_gone', { createdAt: at(n) }))
    return ids
  }
  const idsOf = (notices: readonly Notice[]) => notices.map(({ id }) => id)
  const toBatch = (notices: readonly Notice[]): NoticeBatch => ({
    ...{ id: newId('noticeBatch'), body: Buffer.from(idsOf(notices).join()) },
  })
  const batchOf = async (limit: number) => (await createBatch(its.db, limit, toBatch))?.body.toString()

  // decision: One notice for each cause
  it('are taken once each, oldest first, however many take them at once', async () => {
    const ids = await make(40)
    expect(idsOf(await takeNew(its.db, 'waiting', 5))).to.deep.equal(ids.slice(0, 5))
    const taken = await Promise.all([1, 2, 3, 4].map(() => takeNew(its.db, 'waiting', 40)))
    expect(taken.flatMap(idsOf).sort()).to.deep.equal(ids.slice(5).sort())
    expect(await takeNew(its.db, 'waiting', 5)).to.deep.equal([])
  })

  // decision: Batches of notices
  it('come into one batch each, those for the operator first, then the oldest', async () => {
    const ids = await make(4)
    const operators = await makeNotice(its.db, null, 'most_endpoints_fail', {
      targetId: '',
      createdAt: at(9),
    })
    await takeNew(its.db, 'waiting', 100)
    await make(1, 5)
    expect(await batchOf(3)).to.equal([operators, ids[0], ids[1]].join())
    expect(await batchOf(3)).to.equal([ids[2], ids[3]].join())
    expect(await batchOf(3)).to.equal(undefined)
  })

  // decision: Batches of notices
  it('come into one batch each when two callers make batches at once by accident', async () => {
    for (let round = 0; round < 5; round++) {
      const ids = await make(6)
      const operators = await makeNotice(its.db, null, 'most_endpoints_fail', {
        ...{ targetId: `${round}`, createdAt: at(9) },
      })
      await takeNew(its.db, 'waiting', 100)
      const batches = [...(await Promise.all([batchOf(4), batchOf(4)])), await batchOf(100)]
      const batched = batches.flatMap((body) => body?.split(',') ?? [])
      expect(batched.sort()).to.deep.equal([...ids, operators].sort())
    }
  })

  // decision: Batches of notices
  it('never come into a batch when nothing is to be sent at the time they are told', async () => {
    await make(2)
    await takeNew(its.db, 'done', 100)
    expect(await batchOf(3)).to.equal(undefined)
  })

  // decision: Batches of notices
  it('stay in their batch, byte by byte, until it is forgotten', async () => {
    await make(1)
    await takeNew(its.db, 'waiting', 100)
    const made = await createBatch(its.db, 100, toBatch)
    expect(await findOpenBatch(its.db)).to.deep.equal(made)
    await deleteBatch(its.db, made!.id)
    expect(await findOpenBatch(its.db)).to.equal(undefined)
  })
})
