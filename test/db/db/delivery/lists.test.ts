import { expect } from 'chai'
import { listDeliveries } from '../../../../src/db/delivery/lists.ts'
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../../../src/domain/delivery/delivery.ts'
import { useDeliveries } from '../../../support/use-deliveries.ts'

describe('a page of deliveries of several statuses', () => {
  const its = useDeliveries()

  // decision: Filters of deliveries
  it('has them in one order and their total, on every page', async () => {
    const made: { id: string; status: DeliveryStatus }[] = []
    for (let n = 0; n < 24; n++) {
      const status = DELIVERY_STATUSES[(n * 3) % 4]!
      const [id] = await its.insert(1, { status, created_at: new Date(Date.UTC(2026, 0, 1, 0, 0, n)) })
      made.unshift({ id: id!, status })
    }
    const kinds: DeliveryStatus[][] = [['failed'], ['success', 'failed'], ['pending', 'success', 'retrying']]
    for (const statuses of [undefined, ...kinds, [...DELIVERY_STATUSES]]) {
      const wanted = made.filter(({ status }) => statuses?.includes(status) ?? true).map(({ id }) => id)
      const found: string[] = []
      for (let page = 1; page <= 5; page++) {
        const request = { statuses, limit: 5, page }
        const { items, total } = await listDeliveries(its.db(), its.tenant(), its.webhookId(), request)
        expect(total).to.equal(wanted.length)
        found.push(...items.map(({ id }) => id))
      }
      expect(found, statuses?.join()).to.deep.equal(wanted)
    }
  })
})
