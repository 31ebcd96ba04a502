import { expect } from 'chai'
import { readCounters, totalOf } from '../../src/db/webhook/counters.js'
import type { Db } from '../../src/db/connection/connection.js'
import type { Environment } from '../../src/domain/tenant.js'
import { DELIVERY_STATUSES } from '../../src/domain/delivery/delivery.js'

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
  for (const { id, attempts: counted, max_attempts } of deliveries) {
    const numbers = attempts.filter(({ delivery_id }) => delivery_id === id).map(({ number }) => number)
    expect(numbers, id).to.deep.equal(Array.from({ length: counted }, (_, index) => index + 1))
    expect(counted, id).to.be.at.most(max_attempts)
  }
  const ofWebhooks = new Map(deliveries.map((row) => [row.webhook_id, row]))
  for (const [webhookId, { company_id: companyId, environment }] of ofWebhooks) {
    const counters = await readCounters(db, { companyId, environment }, [webhookId])
    for (const status of DELIVERY_STATUSES) {
      const rows = deliveries.filter((row) => row.webhook_id === webhookId && row.status === status)
      expect(totalOf(counters.get(webhookId), status), `${webhookId} ${status}`).to.equal(rows.length)
    }
  }
}
