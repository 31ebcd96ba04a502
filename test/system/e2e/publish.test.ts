import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { verdictOf } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'

const PATH = '/api-v1-events'

describe('POST /api-v1-events', () => {
  const use = useStack()

  const event = (fields: object = {}) => ({ event: 'contact.created', data: { name: 'a' }, ...fields })
  const newId = () => `evt_${randomUUID()}`
  async function subscribe(hook: string, events: readonly string[] = ['contact.created']): Promise<void> {
    const body = { name: 'test', url: use.stack.receiver.url(hook), events }
    const { body: created } = await use.tenant.request('POST', '/api-v1-webhooks', body)
    use.stack.receiver.trust(hook, created.data.secret as string)
  }

  it('delivers what the application published, with its data as it was', async () => {
    await subscribe('/own')
    const data = { deep: { list: [1, 'ü', null, 1.5] }, z: 1, a: 2 }
    const previous = { deep: null }
    const told = { previous, data, revision: 2, subject: 'ü-17' }
    const answer = await use.tenant.request('POST', PATH, event(told))
    expect(answer.status).to.equal(201)
    expect(answer.body.data).to.have.all.keys('id', 'event', 'created_at', 'deliveries')
    expect(answer.body.data).to.deep.include({ event: 'contact.created', deliveries: 1 })
    const request = await use.stack.receiver.next('/own')
    expect(request.verified).to.equal(true)
    const { id, created_at } = answer.body.data
    const head = { id, event: 'contact.created', created_at, subject: 'ü-17', revision: 2 }
    const envelope = JSON.stringify({ ...head, data, previous })
    expect(request.body.toString()).to.equal(envelope)
    const { body: stored } = await use.tenant.request('GET', `${PATH}/${id}`)
    expect(JSON.stringify(stored.data.payload)).to.equal(envelope)
    const { webhook_id, id: delivery } = stored.data.deliveries[0]
    const resend = `/api-v1-webhooks/${webhook_id}/deliveries/${delivery}/resend`
    expect((await use.tenant.request('POST', resend)).status).to.equal(202)
    expect((await use.stack.receiver.next('/own')).body.toString()).to.equal(envelope)
  })

  it('answers 201 to a batch that is new in part and 200 to one that is not', async () => {
    const known = event({ id: newId() })
    await use.tenant.request('POST', PATH, known)
    const fresh = event({ id: newId() })
    expect((await use.tenant.request('POST', PATH, { events: [known, fresh] })).status).to.equal(201)
    expect((await use.tenant.request('POST', PATH, { events: [known, fresh] })).status).to.equal(200)
  })

  it('asks for the write scope of each family it publishes', async () => {
    const writer = await use.stack.tenant({ scopes: ['write:contacts'] })
    expect((await writer.request('POST', PATH, event())).status).to.equal(201)
    const events = [event(), event({ event: 'deal.created', data: 'not even an object' })]
    for (const body of [event({ event: 'deal.created' }), { events }]) {
      const refused = await writer.request('POST', PATH, body)
      expect(verdictOf(refused)).to.equal('403 INSUFFICIENT_PERMISSIONS')
      expect(refused.body.error.message).to.include('write:deals')
    }
  })

  // decision: Publishing without any write scope
  it('names the scope that an event needs to a key that writes nothing, and all of them where none is named', async () => {
    const reader = await use.stack.tenant({ scopes: ['read:all'] })
    const all = 'write:organizations, write:contacts, write:deals, write:activities, write:tasks'
    for (const [body, scopes] of [
      [event(), 'write:contacts'],
      [{ events: [event({ event: 'task.created' }), event()] }, 'write:tasks, write:contacts'],
      [{}, `one of ${all}`],
      [{ data: 'a'.repeat(300_000) }, `one of ${all}`],
    ] as const) {
      const refused = await reader.request('POST', PATH, body)
      expect(verdictOf(refused)).to.equal('403 INSUFFICIENT_PERMISSIONS')
      expect(refused.body.error.message).to.equal(`This key lacks the required scope: ${scopes}.`)
    }
  })
})
