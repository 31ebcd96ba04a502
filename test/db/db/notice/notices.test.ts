import { expect } from 'chai'
import type { Db } from '../../../../src/db/connection/connection.ts'
import { findNoticePlaces, findNotices } from '../../../../src/db/notice/notices.ts'
import { insertNotices } from '../../../../src/db/system/new-notices.ts'
import { findAllNoticePlaces } from '../../../../src/db/system/notices.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { noticeOf } from '../../../../src/domain/notice/notice.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { makeNotice } from '../../../support/notices.ts'
import { countRowsRead } from '../../../support/rows-read.ts'
import { useOperations } from '../../../support/use-operations.ts'

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
    const readOf = (list: (db: Db) => Promise<unknown>) => countRowsRead(its.db, list)
    await fill(2_000)
    for (const filter of [{}, { createdBefore: new Date(Date.now() + 60_000) }]) {
      expect(await readOf((db) => findNoticePlaces(db, [its.tenant()], filter, FIRST))).to.be.below(100)
      expect(await readOf((db) => findAllNoticePlaces(db, filter, FIRST))).to.be.below(100)
    }
  })
})
