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

  /** The path of a webhook for the types. */
  const subscribe = async (events: readonly string[]) =>
    (await createTestWebhook(use.stack, use.tenant, { events })).path

  /** Publishes a last event of a type that nothing else makes and gives all types that arrived before it. */
  async function arrivedBeforeMark(hook: string, count: number): Promise<string[]> {
    const requests = await use.stack.receiver.waitFor(hook, count)
    return requests.map(({ body }) => JSON.parse(body.toString()).event as string).sort()
  }

  for (const type of EVENT_TYPES) {
    // decision: Data of an event
    it(`delivers ${type} with the record as its data`, async () => {
      const hook = await subscribe([type])
      const record = await CHANGES[type](use.tenant)
      const request = await use.stack.receiver.next(hook)
      const envelope = JSON.parse(request.body.toString())
      expect(request.verified).to.equal(true)
      expect(envelope).to.have.all.keys('id', 'event', 'created_at', 'data')
      expect(envelope).to.deep.include({ event: type, data: record })
      expect(request.headers['webhook-id']).to.equal(envelope.id)
    })
  }

  // decision: Families
  it('publishes deal.updated and deal.stage_changed when stage and another field change', async () => {
    const hook = await subscribe(['deal.updated', 'deal.stage_changed'])
    await createThenChange('deals', deal, { stage: 'won', amount: 1 })(use.tenant)
    expect(await arrivedBeforeMark(hook, 2)).to.deep.equal(['deal.stage_changed', 'deal.updated'])
  })

  it('publishes task.created and task.completed for a task that is created completed', async () => {
    const hook = await subscribe(['task.created', 'task.completed'])
    await create('tasks', { name: 'done at once', completed: true })(use.tenant)
    expect(await arrivedBeforeMark(hook, 2)).to.deep.equal(['task.completed', 'task.created'])
  })

  // decision: Families
  it('publishes nothing for a change that changes nothing, nor for other changes and the deletion of a task', async () => {
    const hook = await subscribe(EVENT_TYPES)
    const task = await create('tasks', { name: 'a' })(use.tenant)
    await send(use.tenant, 'PATCH', `/api-v1-tasks/${task.id}`, { name: 'b' })
    await send(use.tenant, 'DELETE', `/api-v1-tasks/${task.id}`)
    const { id } = await create('contacts', contact)(use.tenant)
    const unchanged = await send(use.tenant, 'PATCH', `/api-v1-contacts/${id}`, contact)
    expect(unchanged.updated_at).to.equal(unchanged.created_at)
    await create('activities', { type: 'note', subject: 'last' })(use.tenant)
    expect(await arrivedBeforeMark(hook, 3)).to.deep.equal([
      'activity.created',
      'contact.created',
      'task.created',
    ])
    const { body } = await use.tenant.request('GET', '/api-v1-webhooks')
    expect(body.data[0].total_deliveries).to.equal(3)
  })
})
