import { expect } from 'chai'
import { EVENT_TYPES, type EventType } from '../../../src/domain/event/types.ts'
import type { Json, TestTenant } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { createTestWebhook } from '../../support/webhooks.ts'

type Call = (tenant: TestTenant) => Promise<Json>

/** Sends and gives the record of the answer. */
async function send(tenant: TestTenant, method: string, path: string, body?: object): Promise<Json> {
  const answer = await tenant.request(method, path, body)
  expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([200, 201])
  return answer.body.data
}

const create =
  (family: string, fields: object): Call =>
  (tenant) =>
    send(tenant, 'POST', `/api-v1-${family}`, fields)

const createThenChange =
  (family: string, fields: object, change: object): Call =>
  async (tenant) => {
    const { id } = await send(tenant, 'POST', `/api-v1-${family}`, fields)
    return send(tenant, 'PATCH', `/api-v1-${family}/${id}`, change)
  }

const createThenDelete =
  (family: string, fields: object): Call =>
  async (tenant) => {
    const record = await send(tenant, 'POST', `/api-v1-${family}`, fields)
    expect(await send(tenant, 'DELETE', `/api-v1-${family}/${record.id}`)).to.deep.equal({ deleted: true })
    return record
  }

const contact = { name: 'Example Contact', email: 'contact@example.com' }
const organization = { name: 'Example Organization', domain: 'example.com' }
const deal = { name: 'Example Deal', amount: 12.5, currency: 'EUR' }

/** For each type a change that publishes it; the change gives the record that the event must carry. */
const CHANGES: Record<EventType, Call> = {
  'contact.created': create('contacts', { ...contact, custom: { tier: 'gold', nested: { n: [1, null] } } }),
  'contact.updated': createThenChange('contacts', contact, { phone: '+49 30 1234' }),
  'contact.deleted': createThenDelete('contacts', contact),
  'organization.created': create('organizations', organization),
  'organization.updated': createThenChange('organizations', organization, { name: 'Other' }),
  'organization.deleted': createThenDelete('organizations', organization),
  'deal.created': create('deals', deal),
  'deal.updated': createThenChange('deals', deal, { amount: 99 }),
  'deal.stage_changed': createThenChange('deals', deal, { stage: 'won' }),
  'deal.deleted': createThenDelete('deals', deal),
  'activity.created': create('activities', { type: 'call', subject: 'Example call' }),
  'task.created': create('tasks', { name: 'Example task', due_at: '2030-01-02T03:04:05+01:00' }),
  'task.completed': createThenChange('tasks', { name: 'Example task' }, { completed: true }),
}

describe('events of the resource families', () => {
  const use = useStack()

  for (const type of EVENT_TYPES) {
    // decision: Data of an event
    it(`delivers ${type} with the record as its data`, async () => {
      const { path: hook } = await createTestWebhook(use.stack, use.tenant, { events: [type] })
      const record = await CHANGES[type](use.tenant)
      const request = await use.stack.receiver.next(hook)
      const envelope = JSON.parse(request.body.toString())
      expect(request.verified).to.equal(true)
      expect(envelope).to.have.all.keys('id', 'event', 'created_at', 'data')
      expect(envelope).to.deep.include({ event: type, data: record })
      expect(request.headers['webhook-id']).to.equal(envelope.id)
    })
  }
})
