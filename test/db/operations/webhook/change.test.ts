// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { changesOf, type AuditDetails } from '../../../../src/domain/audit/entry.ts'
import { updateWebhook } from '../../../../src/db/webhook/webhooks.ts'
import { COMMAND_LINE, type Actor } from '../../../../src/domain/actor.ts'
import { changeWebhook, type WebhookChangeInput } from '../../../../src/operations/webhook/change.ts'
import { getWebhook } from '../../../../src/operations/webhook/read.ts'
import { SWITCHES_PER_HOUR } from '../../../../src/operations/webhook/limits.ts'
import { refusalOf, useOperations } from '../../../support/use-operations.ts'
import { recordBatch } from '../../../../src/attempts/record-batch.ts'
import { deactivateForBacklog } from '../../../../src/db/webhook/backlogs.ts'
import { purgeOlder } from '../../../../src/db/purge/history.ts'
import { listPauses } from '../../../../src/db/webhook/pauses.ts'
import { attemptNew } from '../../../support/made-attempts.ts'

describe('changing a webhook', () => {
  const its = useOperations()
  const { tenant, create, change, audited, queued } = its
  const get = (id: string) => getWebhook(its.deps, tenant(), id)

  // decision: A PATCH that changes nothing
  it('changes nothing, the version included, when every field is given as it is', async () => {
    const given = {
      name: 'one',
      description: 'two',
      url: 'https://hooks.example.com/three',
      isActive: true,
      headers: { 'X-A': 'b' },
      maxRetries: 3,
      retrySchedule: [1, 60],
      filter: { 'data.stage': 'won' },
      events: ['task.created', 'deal.created', 'task.created'],
    }
    const { webhook, secret } = await create(given)
    expect(webhook.events, 'each once, in order').to.deep.equal(['task.created', 'deal.created'])
    expect(await get(webhook.id), 'as it was answered').to.deep.equal(webhook)
    expect(await change(webhook.id, { ...given, secret })).to.deep.equal(webhook)
    expect(await get(webhook.id)).to.deep.equal(webhook)
    expect(await audited(webhook.id)).to.deep.equal(['webhook.create {}'])
    expect(await queued()).to.deep.equal([])
  })

  const changes: Readonly<Record<string, WebhookChangeInput>> = {
    name: { name: 'other' },
    description: { description: null },
    url: { url: 'https://other.example.com/' },
    events: { events: ['deal.created', 'task.created'] },
    max_retries: { maxRetries: 0 },
    retry_schedule: { retrySchedule: null },
    filter: { filter: { event: 'a' } },
    headers: { headers: {} },
    is_active: { isActive: false },
  }
  for (const [field, patch] of Object.entries(changes)) {
    const expected = field === 'headers' ? { headersSealed: null } : patch
    it(`changes ${field} alone, raises the version by one and writes the audit`, async () => {
      const events = ['task.created', 'deal.created']
      const headers = { 'X-A': 'b' }
      const { webhook } = await create({ description: 'two', events, headers, retrySchedule: [5] })
      const now = new Date('2030-01-01T00:00:00.000Z')
      const deps = { ...its.deps, clock: () => now }
      const changed = await changeWebhook(deps, tenant(), COMMAND_LINE, webhook.id, patch)
      expect(changed).to.deep.equal({ ...webhook, ...expected, version: 2, updatedAt: now })
      expect(await get(webhook.id)).to.deep.equal(changed)
      const [, entry = '', ...more] = await audited(webhook.id)
      expect(more).to.deep.equal([])
      const details = JSON.parse(entry.replace('webhook.update ', '')) as AuditDetails
      expect(details['fields']).to.deep.equal([field])
      expect(changesOf(details).map((change) => change.field)).to.deep.equal([field])
    })
  }

  it('wakes parked deliveries and forgets why it was inactive when it is activated, and only then', async () => {
    const { webhook } = await create()
    await change(webhook.id, { isActive: false })
    const gone = { isActive: false, deactivatedReason: 'gone' as const }
    await updateWebhook(its.db, tenant(), webhook.id, gone, new Date())
    expect(await change(webhook.id, { name: 'renamed' })).to.include(gone)
    expect(await queued()).to.deep.equal([])
    const active = { isActive: true, deactivatedReason: null }
    expect(await change(webhook.id, { isActive: true })).to.include(active)
    expect(await queued()).to.deep.equal(['resume-webhook'])
  })

  // decision: What a deletion takes along
  it('ends with its deletion, after which no secret, header or subscription is left', async () => {
    const { webhook } = await create({ headers: { 'X-A': 'b' } })
    await its.remove(webhook.id)
    const row = await its.db('webhooks').where({ id: webhook.id }).first()
    expect(row).to.include({ secret_sealed: '', headers_sealed: null })
    expect(await its.db('webhook_event_types').where({ webhook_id: webhook.id })).to.deep.equal([])
    expect(await queued()).to.deep.equal(['cancel-webhook'])
    expect((await audited(webhook.id)).slice(1)).to.deep.equal(['webhook.delete {}'])
  })

  // decision: Fields are checked where the work is done
  it('checks every field, whoever calls, and changes nothing for one with a fault', async () => {
    const { webhook } = await create()
    const refused = change(webhook.id, { url: 'http://example.com/', maxRetries: -1 })
    expect(await refusalOf(refused)).to.match(/^VALIDATION_ERROR: The URL must .* "maxRetries" must /)
    expect(await get(webhook.id)).to.deep.equal(webhook)
  })
})

describe('switches of a webhook', () => {
  const its = useOperations()
  const { tenant, newWebhook } = its
  const TYPES = ['contact.created', 'deal.created', 'task.created'] as const
  let now = new Date()
  const change = (id: string, actor: Actor, input: WebhookChangeInput) =>
    changeWebhook({ ...its.deps, clock: () => now }, tenant(), actor, id, input)

  // decision: Switches of a webhook
  it('are 60 in an hour at most, for all callers but the command line', async () => {
    const id = await newWebhook({ events: [...TYPES] })
    const key = { id: (await its.keyring.create()).id }
    const startMs = now.getTime()
    for (let time = 0; time < SWITCHES_PER_HOUR; time++) {
      now = new Date(startMs + time * 1_000)
      const events = TYPES.slice(0, time % 4)
      await change(id, key, time % 2 === 0 ? { isActive: time % 4 === 2 } : { events })
    }
    const refused = await change(id, key, { isActive: false }).catch((error: unknown) => error)
    const headers = { 'Retry-After': String(3_600 - 59) }
    expect(refused).to.deep.include({ code: 'RATE_LIMITED', headers })
    const other = { isActive: (await change(id, key, { name: 'another name' })).isActive }
    expect((await change(id, key, other)).name).to.equal('another name')
    expect((await change(id, COMMAND_LINE, { isActive: false })).isActive).to.equal(false)
    now = new Date(startMs + 3_600_000)
    expect((await change(id, key, { isActive: true })).isActive).to.equal(true)
  })
})

const ALWAYS = { since: new Date(0), until: new Date('2100-01-01T00:00:00Z') }

describe('the pauses of a webhook', () => {
  const its = useOperations()
  const { tenant, newWebhook, change } = its
  /** Each pause as `open` or `ended`, with its types; the oldest first. */
  const pausesOf = async (id: string): Promise<string[]> =>
    (await listPauses(its.db, id, { ...ALWAYS, limit: 100 })).map(
      ({ endsAt, eventTypes }) => `${endsAt ? 'ended' : 'open'} ${eventTypes.join(' ')}`,
    )

  // decision: Missed events
  it('are noted with the event types, from each deactivation to the activation', async () => {
    const id = await newWebhook({ events: ['contact.created', 'deal.created'] })
    expect(await pausesOf(id)).to.deep.equal([])
    await change(id, { isActive: false })
    await change(id, { name: 'another name' })
    expect(await pausesOf(id)).to.deep.equal(['open contact.created deal.created'])
    await change(id, { isActive: true })
    await change(id, { events: ['deal.created'] })
    expect(await pausesOf(id)).to.deep.equal(['ended contact.created deal.created'])
    await change(id, { isActive: false })
    expect(await pausesOf(id)).to.deep.equal(['ended contact.created deal.created', 'open deal.created'])
  })

  it('begin with a webhook that is created inactive, and anew with other event types', async () => {
    const id = await newWebhook({ isActive: false })
    for (const [input, pauses] of [
      [{ events: ['deal.created'] }, ['ended contact.created', 'open deal.created']],
      [{ events: ['task.created'], isActive: true }, ['ended contact.created', 'ended deal.created']],
      [{ events: ['contact.created'], isActive: false }, ['ended deal.created', 'open contact.created']],
    ] as const) {
      await change(id, input)
      expect((await pausesOf(id)).slice(-2)).to.deep.equal(pauses)
    }
  })

  it('begin when the service itself deactivates a webhook, once, or the endpoint answers 410 Gone', async () => {
    const id = await newWebhook({ events: ['contact.created', 'deal.created'] })
    for (const owner of [tenant().companyId, undefined])
      expect(await deactivateForBacklog(its.db, { webhookId: id, waiting: 5 }, 0)).to.equal(owner)
    const [pause, ...others] = await pausesOf(id)
    expect(pause?.split(' ').sort()).to.deep.equal(['contact.created', 'deal.created', 'open'])
    expect(others).to.deep.equal([])
    expect(await its.actions(id)).to.deep.equal(['webhook.create', 'webhook.deactivate'])
    const webhookId = await newWebhook()
    await recordBatch(its.database.batchDb, await attemptNew(its.db, tenant(), webhookId, [410]))
    expect(await pausesOf(webhookId)).to.deep.equal(['open contact.created'])
  })

  it('go with the webhook, and once they are old', async () => {
    const [id, other] = [await newWebhook({ isActive: false }), await newWebhook({ isActive: false })]
    await change(other, { isActive: true })
    await its.remove(id)
    expect(await pausesOf(id)).to.deep.equal([])
    await purgeOlder(its.db, 'webhook_pauses', new Date(0), 500)
    expect(await pausesOf(other)).to.have.length(1)
    await purgeOlder(its.db, 'webhook_pauses', ALWAYS.until, 500)
    expect(await pausesOf(other)).to.deep.equal([])
  })
})
