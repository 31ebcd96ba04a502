import { expect } from 'chai'
import { listOpenIds } from '../../../../src/db/system/delivery-figures.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { useDatabase } from '../../../support/database.ts'
import { insertOpenDeliveries } from '../../../support/many-rows.ts'
import { countRowsRead } from '../../../support/rows-read.ts'

describe('reading which deliveries are open', () => {
  const database = useDatabase()
  beforeEach(() => database.db('deliveries').delete())

  const tenant = { companyId: newId('company'), environment: 'live' as const }
  const insert = (count: number, columns: object = {}) =>
    insertOpenDeliveries(database.db, count, { tenant, webhookId: newId('webhook'), columns })
  const PARKED = { wake_at: null, parked_at: new Date() }

  it('finds those that wait and those that are parked, and none that is closed', async () => {
    const open = [...(await insert(3)), ...(await insert(2, PARKED))]
    await insert(2, { status: 'success', wake_at: null })
    const found = await listOpenIds(database.db, 10)
    expect(found.ids).to.have.members(open)
    expect(found.isWhole).to.equal(true)
    expect(await listOpenIds(database.db, 3)).to.include({ isWhole: false })
  })

  // decision: Figures of deliveries
  it('costs the same however many are open', async () => {
    const reads: number[] = []
    for (const more of [100, 2_000]) {
      await insert(more)
      await insert(more, PARKED)
      await database.db.raw('ANALYZE TABLE deliveries')
      reads.push(await countRowsRead(database.db, (trx) => listOpenIds(trx, 20)))
    }
    expect(reads[1]).to.be.at.most(reads[0]! + 2)
    expect(reads[1]).to.be.at.most(60)
  })
})
