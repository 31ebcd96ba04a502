import { expect } from 'chai'
import { updateWebhook } from '../../../../src/db/webhook/webhooks.ts'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { ApiError } from '../../../../src/domain/errors.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { webhookHeaders } from '../../../../src/domain/webhook/webhook.ts'
import {
  changeWebhook,
  deleteWebhook,
  type WebhookChangeInput,
} from '../../../../src/operations/webhook/change.ts'
import { getWebhook } from '../../../../src/operations/webhook/read.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { useOperations } from '../../../support/use-operations.ts'

const stale = () => {
  throw new ApiError('PRECONDITION_FAILED', 'It was changed meanwhile.')
}

describe('changing a webhook', () => {
  const its = useOperations()
  const { tenant, create, audited, queued } = its
  const get = (id: string) => getWebhook(its.deps, tenant(), id)
  const change = (id: string, patch: WebhookChangeInput) =>
    changeWebhook(its.deps, tenant(), COMMAND_LINE, id, patch)

  it('changes nothing, the version included, when every field is given as it is', async () => {
    const given = {
      ...{ name: 'one', description: 'two', url: 'https://hooks.example.com/three', isActive: true },
      ...{ headers: { 'X-A': 'b' }, maxRetries: 3, retrySchedule: [1, 60] },
      events: ['task.created', 'deal.created'],
    }
    const { webhook, secret } = await create(given)
    const repeated = [...given.events, 'task.created']
    expect(await change(webhook.id, { ...given, events: repeated, secret })).to.deep.equal(webhook)
    expect(await get(webhook.id)).to.deep.equal(webhook)
    expect(await audited(webhook.id)).to.deep.equal(['webhook.create {}'])
    expect(await queued()).to.deep.equal([])
  })

  const changes: Readonly<Record<string, [WebhookChangeInput, object]>> = {
    name: [{ name: 'other' }, { name: 'other' }],
    description: [{ description: null }, { description: null }],
    url: [{ url: 'https://other.example.com/' }, { url: 'https://other.example.com/' }],
    events: [{ events: ['deal.created', 'task.created'] }, { events: ['deal.created', 'task.created'] }],
    max_retries: [{ maxRetries: 0 }, { maxRetries: 0 }],
    retry_schedule: [{ retrySchedule: null }, { retrySchedule: null }],
    headers: [{ headers: {} }, { headersSealed: null }],
    is_active: [{ isActive: false }, { isActive: false }],
  }
  for (const [field, [patch, expected]] of Object.entries(changes)) {
    it(`changes ${field} alone, raises the version by one and writes the audit`, async () => {
      const { webhook } = await create({
        ...{ description: 'a description', events: ['task.created', 'deal.created'] },
        ...{ headers: { 'X-A': 'b' }, retrySchedule: [5] },
      })
      const now = new Date('2030-01-01T00:00:00.000Z')
      const changed = await changeWebhook(
        { ...its.deps, clock: () => now },
        ...([tenant(), COMMAND_LINE, webhook.id, patch] as const),
      )
      expect(changed).to.deep.equal({ ...webhook, ...expected, version: 2, updatedAt: now })
      expect(await get(webhook.id)).to.deep.equal(changed)
      expect((await audited(webhook.id)).slice(1)).to.deep.equal([`webhook.update {"fields":["${field}"]}`])
    })
  }

  it('replaces headers as a whole', async () => {
    const { webhook } = await create({ headers: { 'X-A': 'a', 'X-B': 'b' } })
    const changed = await change(webhook.id, { headers: { 'X-C': 'c' } })
    const { secretsKeys } = its.deps.config
    expect(webhookHeaders(secretsKeys, tenant().companyId, changed)).to.deep.equal({ 'X-C': 'c' })
  })

  it('wakes parked deliveries and forgets why it was inactive when it is activated, and only then', async () => {
    const { webhook } = await create()
    await change(webhook.id, { isActive: false })
    const gone = { isActive: false, deactivatedReason: 'gone' as const }
    await updateWebhook(its.db, tenant(), webhook.id, gone, new Date())
    expect(await change(webhook.id, { name: 'renamed' })).to.include(gone)
    expect(await queued()).to.deep.equal([])
    expect(await change(webhook.id, { isActive: true })).to.include({
      ...{ isActive: true, deactivatedReason: null },
    })
    expect(await queued()).to.deep.equal(['resume-webhook'])
  })

  it('is refused whole when it names another secret than the current one', async () => {
    const { webhook } = await create()
    const secret = 'whsec_' + Buffer.alloc(24).toString('base64')
    expect(await refusalOf(change(webhook.id, { name: 'other', secret }))).to.match(/^VALIDATION_ERROR: /)
    expect(await get(webhook.id)).to.deep.equal(webhook)
  })

  it('and deleting it are refused by their precondition, which gets the current webhook', async () => {
    const { webhook } = await create()
    const seen: unknown[] = []
    const precondition = (found: unknown) => (seen.push(found), stale())
    const args = [its.deps, tenant(), COMMAND_LINE, webhook.id] as const
    const changed = await refusalOf(changeWebhook(...args, { name: 'other' }, precondition))
    const deleted = await refusalOf(deleteWebhook(...args, precondition))
    expect([changed, deleted]).to.deep.equal(Array(2).fill('PRECONDITION_FAILED: It was changed meanwhile.'))
    expect(seen).to.deep.equal([webhook, webhook])
    expect(await get(webhook.id)).to.deep.equal(webhook)
  })

  it('and deleting it work only for its tenant and for ids that exist', async () => {
    const { webhook, secret } = await create()
    const foreign = foreignTenants(tenant()).map((other) => [other, webhook.id] as const)
    for (const [owner, id] of [...foreign, [tenant(), newId('webhook')] as const]) {
      const args = [its.deps, owner, COMMAND_LINE, id] as const
      const refusal = 'NOT_FOUND: Webhook not found.'
      expect(await refusalOf(changeWebhook(...args, { isActive: false, secret }))).to.equal(refusal)
      expect(await refusalOf(deleteWebhook(...args))).to.equal(refusal)
    }
    expect(await get(webhook.id)).to.deep.equal(webhook)
    expect(await queued()).to.deep.equal([])
  })

  // decision: What a deletion takes along
  it('ends with its deletion, after which no secret, header or subscription is left', async () => {
    const { webhook } = await create({ headers: { 'X-A': 'b' } })
    await deleteWebhook(its.deps, tenant(), COMMAND_LINE, webhook.id)
    const { db } = its.database
    expect(await db('webhooks').where({ id: webhook.id }).first()).to.include({
      ...{ secret_sealed: '', headers_sealed: null },
    })
    expect(await db('webhook_event_types').where({ webhook_id: webhook.id })).to.deep.equal([])
    expect(await queued()).to.deep.equal(['cancel-webhook'])
    expect((await audited(webhook.id)).slice(1)).to.deep.equal(['webhook.delete {}'])
    expect(await refusalOf(change(webhook.id, { name: 'x' }))).to.equal('NOT_FOUND: Webhook not found.')
    expect(await refusalOf(get(webhook.id))).to.equal('NOT_FOUND: Webhook not found.')
  })

  // decision: Fields are checked where the work is done
  it('checks every field, whoever calls, and changes nothing for one with a fault', async () => {
    const { webhook } = await create()
    const faulty = { url: 'http://example.com/', maxRetries: -1 }
    expect(await refusalOf(change(webhook.id, faulty))).to.equal(
      'VALIDATION_ERROR: The URL must use the HTTPS protocol. "maxRetries" must be greater than or equal to 0.',
    )
    expect(await get(webhook.id)).to.deep.equal(webhook)
  })
})
