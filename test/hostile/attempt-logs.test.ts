import { expect } from 'chai'
import { recordBatch } from '../../src/attempts/record-batch.ts'
import { storedHeaders } from '../../src/domain/delivery/kept-response.ts'
import { answered, insertNewDeliveries, madeAttempt } from '../support/made-attempts.ts'
import type { Json } from '../support/tenants.ts'
import { watchBatches } from '../support/watch-batches.ts'
import { useStack } from '../support/use-stack.ts'
import { insertWebhooks } from '../support/many-rows.ts'

const BODY = 'b'.repeat(16 * 1024)
const HEADERS = storedHeaders({ 'x-large': 'l'.repeat(256) })
const KEPT = 20

describe('a delivery with very many attempts', () => {
  const use = useStack('quiet')
  let webhookId: string
  let deliveryId: string
  beforeEach(async () => {
    const [{ db }, { tenant }] = [use.stack, use.tenant]
    ;[webhookId = ''] = await insertWebhooks(db, tenant, 1, ['contact.created'])
    await db('webhooks').where({ id: webhookId }).update({ headers_sealed: null })
    ;[deliveryId = ''] = await insertNewDeliveries(db, tenant, webhookId, { maxAttempts: 1_000 })
  })

  /** Attempts as written by a release that kept every body. */
  async function fill(count: number): Promise<void> {
    const { db } = use.stack
    const common = { delivery_id: deliveryId, started_at: new Date(), duration_ms: 1, trigger: 'manual' }
    const answer = { response_code: 500, response_body: BODY, response_headers: HEADERS }
    const rows = Array.from({ length: count }, (_, index) => ({ ...common, ...answer, number: index + 1 }))
    await db.batchInsert('attempts', rows, 50)
    await db('deliveries').where({ id: deliveryId }).update({ attempts: count, response_body: BODY })
  }

  /** Records one more failed attempt as the worker does. Returns the statements that it sent. */
  async function record(attemptsAtGate: number): Promise<string[]> {
    const outcome = answered(500, { body: BODY, headers: HEADERS })
    const made = madeAttempt(deliveryId, webhookId, outcome, { attemptsAtGate })
    const statements: string[] = []
    const batchDb = watchBatches(use.stack.batchDb, (sql) => statements.push(...sql.split(';\n')))
    const { decisions } = await recordBatch(batchDb, [made])
    expect(decisions.get(deliveryId)).to.have.property('kind', 'recorded')
    return statements
  }

  const numbersWith = (column: string): Promise<number[]> => {
    const attempts = use.stack.db('attempts').where({ delivery_id: deliveryId })
    return attempts.whereNotNull(column).orderBy('number').pluck('number')
  }
  /** Attempts with a body in their own row. The delivery's row has the latest attempt's body. */
  const withBodies = () => numbersWith('response_body')

  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

  // decision: Attempts
  it('keeps bodies and headers of the latest 20 answers when another attempt is recorded', async function () {
    await fill(KEPT)
    await record(KEPT)
    expect(await withBodies()).to.deep.equal(range(2, KEPT))
    await record(KEPT + 1)
    expect(await withBodies()).to.deep.equal(range(3, KEPT + 1))
    expect(await numbersWith('response_headers')).to.deep.equal(range(3, KEPT + 2))
    const path = `/api-v1-webhooks/${webhookId}/deliveries/${deliveryId}`
    const { body } = await use.tenant.request('GET', path)
    this.runnable().title += ` (an answer of ${Math.round(JSON.stringify(body).length / 1e3)} KB)`
    const bodies = body.data.attempt_log.map(({ response_body }: Json) => response_body)
    expect(bodies).to.deep.equal(Array.from({ length: KEPT }, () => BODY))
  })

  // decision: Attempts
  it('stores the body of a first attempt once, and moves it when the next attempt is recorded', async () => {
    const isUpdate = (sql: string) => /^UPDATE [^]*\battempts a\b/.test(sql)
    expect((await record(0)).filter(isUpdate)).to.have.length(0)
    expect(await withBodies()).to.deep.equal([])
    expect((await record(1)).filter(isUpdate)).to.have.length(1)
    expect(await withBodies()).to.deep.equal([1])
  })
})
