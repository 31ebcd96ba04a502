import { expect } from 'chai'
import { readCounters, totalOf } from '../../src/db/webhook/counters.js'
import type { Db } from '../../src/db/connection/connection.js'
import type { Environment } from '../../src/domain/tenant.js'
import { DELIVERY_STATUSES } from '../../src/domain/delivery/delivery.js'
import { groupBy } from '../../scripts/soak/group-by.mjs'

type Row = {
  id: string
  company_id: string
  environment: Environment
  webhook_id: string
  status: string
  attempts: number
  max_attempts: number
}

/**
 * What holds at every moment, whatever was killed and whatever is still running: a delivery has as many attempt rows as
 * it counts, numbered from 1 without a gap and never above max_attempts; one delivery per event and webhook; counters
 * equal the rows. All of it is read in one snapshot: a command that is carried out between two reads is no fault.
 */
export function expectSoundRows(db: Db): Promise<void> {
  return db.transaction(checkRows, { isolationLevel: 'repeatable read' })
}

async function checkRows(db: Db): Promise<void> {
  const deliveries = await db<Row>('deliveries').select(
    'id',
    'company_id',
    'environment',
    'webhook_id',
    'status',
    'attempts',
    'max_attempts',
  )
  const attempts = await db('attempts')
    .orderBy('number')
    .select<{ delivery_id: string; number: number }[]>('delivery_id', 'number')
  const numbersOf = groupBy(attempts, ({ delivery_id: id }) => id)
  // One assertion for all: thousands of them would hold up the endpoints that run in the same process.
  const unsound = deliveries
    .map((row) => ({ ...row, numbers: (numbersOf.get(row.id) ?? []).map(({ number }) => number) }))
    .filter(({ numbers, attempts: counted, max_attempts: most }) => {
      const isWithoutGap = numbers.every((number, index) => number === index + 1)
      return !isWithoutGap || numbers.length !== counted || counted > most
    })
  expect(unsound, 'deliveries whose attempts are not as they are counted').to.deep.equal([])
  for (const [webhookId, rows] of groupBy(deliveries, ({ webhook_id: id }) => id)) {
    const { company_id: companyId, environment } = rows[0]!
    const counters = await readCounters(db, { companyId, environment }, [webhookId])
    for (const status of DELIVERY_STATUSES) {
      const count = rows.filter((row) => row.status === status).length
      expect(totalOf(counters.get(webhookId), status), `${webhookId} ${status}`).to.equal(count)
    }
  }
}
