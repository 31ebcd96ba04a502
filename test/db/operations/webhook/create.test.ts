import { expect } from 'chai'
import { listWebhooks } from '../../../../src/db/webhook/lists.ts'
import { findSealedSecret, findWebhook } from '../../../../src/db/webhook/webhooks.ts'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { openSecret, webhookHeaders } from '../../../../src/domain/webhook/webhook.ts'
import { deleteWebhook } from '../../../../src/operations/webhook/change.ts'
import { createWebhook, type NewWebhookInput } from '../../../../src/operations/webhook/create.ts'
import { testDeps } from '../../../support/deps.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { answerOfLostHold, LOST_HOLD } from '../../../support/idempotency.ts'
import { useOperations, webhookInput } from '../../../support/use-operations.ts'

describe('creating a webhook', () => {
  const its = useOperations()
  const { tenant, create, audited } = its
  const total = async () => (await listWebhooks(its.db, tenant(), { limit: 1, page: 1 }, {})).total

  it('answers what a read finds', async () => {
    const { webhook } = await create({
      ...{ description: 'a description', headers: { 'X-A': 'b' }, isActive: false, maxRetries: 0 },
      ...{ events: ['deal.deleted', 'contact.created', 'activity.created'], retrySchedule: [1, 2] },
    })
    expect(await findWebhook(its.db, tenant(), webhook.id)).to.deep.equal(webhook)
  })

  it('gives what the caller left out its default', async () => {
    const { webhook, headers } = await create()
    expect(webhook).to.deep.include({
      ...{ description: null, isActive: true, headersSealed: null, maxRetries: 5 },
      ...{ retrySchedule: null, deactivatedReason: null, version: 1 },
    })
    expect(headers).to.deep.equal({})
  })

  it('collapses repeated event types and keeps their order', async () => {
    const { webhook } = await create({ events: ['task.created', 'deal.created', 'task.created'] })
    expect(webhook.events).to.deep.equal(['task.created', 'deal.created'])
  })

  it('keeps its secret and its headers sealed for this webhook alone', async () => {
    const { webhook, secret } = await create({ headers: { 'X-Token': 'a token' } })
    const { config, db } = its.deps
    const sealed = (await findSealedSecret(db, tenant(), webhook.id))!
    const { companyId } = tenant()
    expect(openSecret(config.secretsKeys, companyId, webhook.id, sealed)).to.equal(secret)
    expect(webhookHeaders(config.secretsKeys, companyId, webhook)).to.deep.equal({ 'X-Token': 'a token' })
    const other = (await create()).webhook.id
    expect(() => openSecret(config.secretsKeys, companyId, other, sealed)).to.throw()
  })

  it('is told in the audit, without anything of the secret', async () => {
    const { webhook } = await create({ headers: { 'X-Token': 'a token' } })
    expect(await audited(webhook.id)).to.deep.equal(['webhook.create {}'])
  })

  // decision: How many
  it('is refused beyond WEBHOOKS_PER_TENANT, also when many are made at once', async () => {
    const deps = testDeps(its.database, { WEBHOOKS_PER_TENANT: '3' })
    const refusals = await Promise.all(
      Array.from({ length: 6 }, () => refusalOf(createWebhook(deps, tenant(), COMMAND_LINE, webhookInput()))),
    )
    expect(refusals.filter((refusal) => refusal === 'none')).to.have.length(3)
    expect(new Set(refusals)).to.deep.equal(
      new Set(['none', 'CONFLICT: No more than 3 webhooks are allowed.']),
    )
    expect(await total()).to.equal(3)
  })

  it('has room for as many in each tenant, and for one more after a deletion', async () => {
    const deps = testDeps(its.database, { WEBHOOKS_PER_TENANT: '1' })
    const createFor = (owner = tenant()) => createWebhook(deps, owner, COMMAND_LINE, webhookInput())
    const { webhook } = await createFor()
    for (const other of foreignTenants(tenant())) await createFor(other)
    await deleteWebhook(deps, tenant(), COMMAND_LINE, webhook.id)
    await createFor()
    expect(await refusalOf(createFor())).to.match(/^CONFLICT: /)
  })

  it('leaves nothing behind when its answer cannot be kept', async () => {
    let id = ''
    const failed = createWebhook(
      its.deps,
      tenant(),
      COMMAND_LINE,
      webhookInput(),
      answerOfLostHold(({ webhook }) => (id = webhook.id)),
    )
    expect(await refusalOf(failed)).to.equal(LOST_HOLD)
    expect(await total()).to.equal(0)
    expect(await audited(id)).to.deep.equal([])
  })

  // decision: Fields are checked where the work is done
  it('checks every field, whoever calls, and writes nothing for one with a fault', async () => {
    const faults: [Partial<NewWebhookInput>, string][] = [
      [{ name: ' ' }, '"name" must not be blank.'],
      [{ url: 'http://example.com/' }, 'The URL must use the HTTPS protocol.'],
      [{ url: 'https://127.0.0.1/' }, 'The URL must point to a public address.'],
      [{ events: [] }, '"events" must contain at least 1 items.'],
      [{ events: ['contact.exploded'] }, '"events" contains the unknown event type "contact.exploded".'],
      [{ headers: { Host: 'x' } }, 'The header "Host" is reserved and cannot be set.'],
      [{ maxRetries: 11 }, '"maxRetries" must be less than or equal to 10.'],
      [{ retrySchedule: [0] }, '"retrySchedule[0]" must be greater than or equal to 1.'],
    ]
    for (const [fields, message] of faults) {
      expect(await refusalOf(create(fields))).to.equal(`VALIDATION_ERROR: ${message}`)
    }
    expect(await total()).to.equal(0)
  })
})
