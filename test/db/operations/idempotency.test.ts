// Also on MySQL with direct attempts: its transactions lock rows.
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type * as claims from '../../../src/db/idempotency.ts'
import { until } from '../../support/poll.ts'
import { insertCompany } from '../../../src/db/companies.ts'
import { inTransaction } from '../../../src/db/connection/connection.ts'
import { newId } from '../../../src/domain/ids.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { RESOURCE_FAMILIES } from '../../../src/domain/event/resources.ts'
import { retryDelivery, resendDelivery, sendEvent } from '../../../src/operations/delivery/again.ts'
import { publishEvents } from '../../../src/operations/event/publish.ts'
import { AnswerHold, runOnce } from '../../../src/operations/idempotency.ts'
import { startRecovery } from '../../../src/operations/recovery/change.ts'
import { createResource } from '../../../src/operations/resource/change.ts'
import { createWebhook } from '../../../src/operations/webhook/create.ts'
import { regenerateSecret } from '../../../src/operations/webhook/secret.ts'
import { whileRefused } from '../../support/refused-writes.ts'
import { expectSoundRows } from '../../support/invariants.ts'
import { refusalOf, useOperations, webhookInput } from '../../support/use-operations.ts'
import { words } from '../../support/words.ts'

/** A request with a new Idempotency-Key. */
const newIdempotentRequest = (): claims.IdempotentRequest => ({
  requestHash: randomBytes(32),
  companyId: newId('company'),
  fingerprint: randomBytes(32),
})

// decision: The answer of a test event
describe('work that is done once', () => {
  const its = useOperations()

  it('is held longer than a test event may take', async () => {
    const deps = its.depsWith({ WEBHOOK_TIMEOUT: '2m' })
    const request = newIdempotentRequest()
    const { answer } = await runOnce(deps, request, async () => ({
      body: await its
        .db('idempotency')
        .where({ scope: request.requestHash })
        .select(its.db.raw('TIMESTAMPDIFF(SECOND, created_at, locked_until) AS leaseS')),
    }))
    expect((answer.body as { leaseS: number }[])[0]?.leaseS).to.be.above(130)
  })

  it('is answered and not done again when its answer cannot be kept at first', async () => {
    const { deps } = its
    const request = newIdempotentRequest()
    let runs = 0
    const work = () => Promise.resolve({ status: 201, body: { run: ++runs } })
    await whileRefused(its.db, 'UPDATE ON idempotency', async () => {
      const answer = { status: 201, body: { run: 1 } }
      expect(await runOnce(deps, request, work)).to.deep.equal({ answer, isReplay: false })
      expect(await refusalOf(runOnce(deps, request, work))).to.match(/^CONFLICT/)
    })
    const repeat = await until(
      () => runOnce(deps, request, work).catch(() => undefined),
      (outcome) => outcome !== undefined,
    )
    expect(repeat).to.deep.equal({ answer: { status: 201, body: { run: 1 } }, isReplay: true })
  })

  // decision: The answer is kept with the work
  it('takes the work back when the key was taken over meanwhile', async () => {
    const { deps } = its
    const request = newIdempotentRequest()
    const company = { id: newId('company'), name: 'late', createdAt: new Date() }
    const late = runOnce(deps, request, (hold) =>
      inTransaction(deps.db, async (trx) => {
        await insertCompany(trx, company)
        await its.set('idempotency', { scope: request.requestHash }, { locked_until: new Date(0) })
        await runOnce(deps, request, () => Promise.resolve({ body: 'of the next one' }))
        await hold.keep(trx, { body: 'of the late one' })
        return { body: 'of the late one' }
      }),
    )
    expect(await refusalOf(late)).to.match(/^CONFLICT/)
    expect(await its.db('companies').where({ id: company.id })).to.have.length(0)
    const repeat = await runOnce(deps, request, () => Promise.resolve({ body: 'again' }))
    expect(repeat).to.deep.equal({ answer: { body: 'of the next one' }, isReplay: true })
  })
})

describe('work whose Idempotency-Key another request has taken over', () => {
  const its = useOperations()
  const { tenant } = its

  /** Expects that storing the answer ends with this refusal. */
  const lost = { requestHash: randomBytes(32), lockedUntil: new Date(0) }
  const hold = new AnswerHold(lost, () => ({ status: 201, sealed: 'never stored' }))
  const kept = { hold, toAnswer: () => ({ body: null }) }
  const LOST = 'CONFLICT: The first request with this Idempotency-Key is still running.'
  const TABLES = words('webhooks events deliveries resources resource_counters recoveries audit outbox')
  const rows = () => Promise.all(TABLES.map((table) => its.own(table)))

  // decision: The answer is kept with the work
  it('leaves no row behind, and changes none', async () => {
    const { webhookId, eventId, id } = await its.delivery()
    const closed = { status: 'failed', closed_reason: 'attempts_used', closed_at: new Date(), wake_at: null }
    await its.set('deliveries', { id }, closed)
    await its.set('webhook_counters', { webhook_id: webhookId }, { pending: 0, failed: 1 })
    const missed = await its.newWebhook({ events: ['task.created'] })
    const event = { id: eventId, type: 'contact.created' }
    const before = await rows()
    const input = { kind: 'failed', since: new Date(0) } as const
    for (const ask of [
      () => createWebhook(its.deps, tenant(), COMMAND_LINE, webhookInput(), kept),
      () => regenerateSecret(its.deps, tenant(), COMMAND_LINE, webhookId, kept),
      () => resendDelivery(its.deps, tenant(), COMMAND_LINE, webhookId, id, kept),
      () => retryDelivery(its.deps, tenant(), COMMAND_LINE, webhookId, id, new Date(), kept),
      () => sendEvent(its.deps, tenant(), COMMAND_LINE, missed, event, kept),
      () => publishEvents(its.deps, tenant(), [{ type: 'contact.created', data: {} }], { kept }),
      () => createResource(its.deps, tenant(), RESOURCE_FAMILIES.contacts, { name: 'Ada' }, { kept }),
      () => startRecovery(its.deps, tenant(), COMMAND_LINE, webhookId, input, kept),
    ]) {
      expect(await refusalOf(ask()), String(ask)).to.equal(LOST)
      expect(await rows(), String(ask)).to.deep.equal(before)
      await expectSoundRows(its.db, tenant().companyId)
    }
  })
})
