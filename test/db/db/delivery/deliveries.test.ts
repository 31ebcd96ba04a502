// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { recordBatch } from '../../../../src/attempts/record-batch.ts'
import { listAttempts } from '../../../../src/db/delivery/attempts.ts'
import { findDelivery } from '../../../../src/db/delivery/deliveries.ts'
import { listDeliveries } from '../../../../src/db/delivery/lists.ts'
import { newId } from '../../../../src/domain/ids.ts'
import type { MadeAttempt } from '../../../../src/domain/delivery/outcome.ts'
import { answered, insertNewDeliveries, madeAttempt } from '../../../support/made-attempts.ts'
import { useDatabase } from '../../../support/database.ts'

const tenant = { companyId: 'com_1', environment: 'live' as const }
type Outcome = MadeAttempt['outcome']

// decision: `error` is read from the attempts
// decision: Reasons
// decision: `error`
describe('the error code of a delivery', () => {
  const database = useDatabase()

  const unreachable: Outcome = { kind: 'unreachable', reason: 'dns_error', durationMs: 5 }

  async function createDelivery() {
    const webhookId = newId('webhook')
    const [id = ''] = await insertNewDeliveries(database.db, tenant, webhookId, { maxAttempts: 9 })
    let attemptsAtGate = 0
    return {
      id,
      async attempt(outcome: Outcome) {
        const gate = { attemptsAtGate: attemptsAtGate++ }
        await recordBatch(database.batchDb, [madeAttempt(id, webhookId, outcome, gate)])
      },
      /** In the list and by itself. */
      async errors() {
        const page = { limit: 50, page: 1 }
        const { items } = await listDeliveries(database.db, tenant, webhookId, page)
        const found = await findDelivery(database.db, tenant, webhookId, id)
        return [items[0]?.error, found?.error]
      },
    }
  }

  it('is null before the first attempt, then that of the latest one, and null once the endpoint answers, with a failure or half a body too', async () => {
    const delivery = await createDelivery()
    expect(await delivery.errors()).to.deep.equal([null, null])
    for (const [outcome, code] of [
      [unreachable, 'dns_error'],
      [{ ...unreachable, reason: 'tls_error' }, 'tls_error'],
      [answered(500), null],
      [{ ...unreachable, reason: 'response_timeout' }, 'response_timeout'],
      [answered(500, { error: 'body_cut' }), null],
    ] as const) {
      await delivery.attempt(outcome)
      expect(await delivery.errors()).to.deep.equal([code, code])
    }
    const { items } = await listAttempts(database.db, tenant, delivery.id, { latest: 5, limit: 1 })
    expect(items[0], 'which the attempt tells').to.include({ error: 'body_cut' })
  })
})
