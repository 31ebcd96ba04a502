// Also on MySQL with direct attempts: migrations are SQL of ours.
import { expect } from 'chai'
import { BY_WORKFLOWS } from '../support/first-attempts.ts'
import { newId } from '../../src/domain/ids.ts'
import { PURGE_SCHEDULE_ID } from '../../src/workflows/contract.ts'
import { runCli } from '../support/cli.ts'
import { deliveryWith, newEventId, publish, TAKE_OVER_MS } from '../support/crashes.ts'
import { describeFormerRelease, FORMER_RELEASE } from '../support/former-release.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { until } from '../support/poll.ts'
import { clientOf, type Json, createContact, createTestWebhook } from '../support/tenants.ts'
import { useStack, type StackInUse } from '../support/use-stack.ts'

/**
 * Runs the processes and the command line of the former release on a database that this checkout migrated. A migration
 * that renames, drops or narrows something that the release still uses fails here.
 */
describeFormerRelease(`${FORMER_RELEASE.tag} on the newest schema`, (release) => {
  after(() => expectSoundRows(stack.db))
  const environment = { ...BY_WORKFLOWS, KEY_ROTATION_GRACES: '1h=2s' }
  const use = useStack(() => ({ dir: release(), environment }))
  let { stack, tenant } = {} as StackInUse
  beforeEach(() => void ({ stack, tenant } = use))

  const cli = (...args: string[]): Promise<Json> => runCli(args, stack.environment, { dir: release() })
  const ask = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const answer = await tenant.request(method, path, body)
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.be.oneOf([200, 201])
    return answer.body.data
  }

  it('manages companies, users and keys with its command line', async () => {
    const { id: company } = await cli('company', 'create', '--name', 'Upgrade')
    const named = ['--company', company, '--name', 'A']
    const user = await cli('user', 'create', ...named, '--email', 'a@example.com', '--password', '8 letters')
    const [key, personal] = await Promise.all([
      cli('key', 'create', ...named, '--scopes', 'admin:all'),
      cli('key', 'create', ...named, '--scopes', 'read:all', '--user', user.id),
    ])
    await cli('key', 'update', '--id', key.id, '--allow', '127.0.0.1')
    expect((await clientOf(stack.api.url, key.key)('GET', '/api-v1-webhooks')).status).to.equal(200)
    expect(await cli('user', 'remove', '--id', user.id)).to.deep.equal({ removed: true, revoked_keys: 1 })
    const keys = (await cli('key', 'list', '--company', company)) as { id: string; state: string }[]
    expect(Object.fromEntries(keys.map(({ id, state }) => [id, state]))).to.deep.equal({
      [key.id]: 'active',
      [personal.id]: 'revoked',
    })
    await cli('event', 'publish', '--company', company, '--type', 'deal.created', '--data', '{}')
  })

  it('ends the grace period of a rotated key by its timer', async () => {
    const renewed = await cli('key', 'rotate', '--id', tenant.keyId, '--grace', '1h')
    const actions = () => stack.db('audit').where({ subject_id: tenant.keyId }).pluck<string[]>('action')
    await until(actions, (names) => names.includes('key.expire'), { what: 'the timer of the rotation' })
    expect((await tenant.request('GET', '/api-v1-webhooks')).status).to.equal(401)
    expect((await clientOf(stack.api.url, renewed.key)('GET', '/api-v1-webhooks')).status).to.equal(200)
  })

  it('delivers the events of records and shows them', async () => {
    const webhook = await createTestWebhook(stack, tenant, { events: ['contact.created', 'contact.deleted'] })
    const contact = await createContact(tenant)
    const delivered = await webhook.delivery('success')
    expect(delivered).to.include({ attempts: 1, response_code: 200 })
    expect((await webhook.detail(delivered.id)).attempt_log).to.have.length(1)
    await ask('PATCH', `/api-v1-contacts/${String(contact.id)}`, { name: 'Ada' })
    await ask('DELETE', `/api-v1-contacts/${String(contact.id)}`)
    await stack.receiver.waitFor(webhook.path, 2, { timeoutMs: TAKE_OVER_MS })
    await until(webhook.get, ({ successful_deliveries: sent }) => sent === 2, { what: 'both deliveries' })
    for (const family of ['organizations', 'deals', 'tasks']) {
      const { id } = await ask('POST', `/api-v1-${family}`, { name: 'a' })
      await ask('PATCH', `/api-v1-${family}/${String(id)}`, { name: 'b' })
      expect(await ask('GET', `/api-v1-${family}`)).to.have.length(1)
    }
    await ask('POST', '/api-v1-activities', { type: 'call', subject: 'a' })
  })

  // decision: Former release
  it('retries a failing endpoint until it gives up, and again by hand', async () => {
    const webhook = await createTestWebhook(stack, tenant, { max_retries: 1, retry_schedule: [1] })
    webhook.behave({ status: 500 })
    const eventId = newEventId()
    await publish(tenant, eventId)
    const { id } = await deliveryWith(stack, eventId, ({ status }) => status === 'failed')
    expect(await webhook.detail(id)).to.include({ attempts: 2, max_attempts: 2, response_code: 500 })
    webhook.behave()
    await ask('POST', `/api-v1-webhooks/${webhook.id}/deliveries/${String(id)}/retry`)
    expect(await webhook.delivery('success')).to.include({ attempts: 3 })
  })

  it('holds what is open while a webhook is inactive, and cancels it with a deleted one', async () => {
    const webhook = await createTestWebhook(stack, tenant, { retry_schedule: [1] })
    webhook.behave({ status: 500 })
    const eventId = newEventId()
    await publish(tenant, eventId)
    await stack.receiver.waitFor(webhook.path, 1, { timeoutMs: TAKE_OVER_MS })
    await ask('PATCH', `/api-v1-webhooks/${webhook.id}`, { is_active: false })
    await deliveryWith(stack, eventId, ({ parked_at }) => parked_at !== null)
    webhook.behave({ failTimes: 1 })
    await ask('PATCH', `/api-v1-webhooks/${webhook.id}`, { is_active: true, retry_schedule: [600] })
    await deliveryWith(stack, eventId, ({ parked_at, attempts }) => parked_at === null && attempts >= 2)
    await ask('DELETE', `/api-v1-webhooks/${webhook.id}`)
    const row = await deliveryWith(stack, eventId, ({ status }) => status === 'failed')
    expect(row.closed_reason).to.equal('webhook_deleted')
  })

  it('sends test events, changes secrets and answers repeats', async () => {
    const webhook = await createTestWebhook(stack, tenant)
    const { secret } = await ask('POST', `/api-v1-webhooks/${webhook.id}/regenerate-secret`)
    stack.receiver.trust(webhook.path, secret)
    const result = await ask('POST', `/api-v1-webhooks/${webhook.id}/test`)
    expect(result).to.include({ success: true, response_code: 200 })
    const named = { 'Idempotency-Key': newId('event') }
    const create = () => tenant.request('POST', '/api-v1-contacts', { name: 'once' }, named)
    expect((await create()).body).to.deep.equal((await create()).body)
  })

  it('removes old history', async () => {
    const webhook = await createTestWebhook(stack, tenant, { max_retries: 0 })
    const eventId = newEventId()
    await publish(tenant, eventId)
    const { id } = await deliveryWith(stack, eventId, ({ status }) => status === 'success')
    const old = new Date(Date.now() - 40 * 86_400_000)
    await stack.db('deliveries').where({ id }).update({ closed_at: old })
    await stack.db('events').where({ id: eventId }).update({ created_at: old })
    await stack.temporal.schedule.getHandle(PURGE_SCHEDULE_ID).trigger()
    await until(webhook.deliveries, (list) => list.length === 0, { what: 'the removal of old deliveries' })
  })
})
