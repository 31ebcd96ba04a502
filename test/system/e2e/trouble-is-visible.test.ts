import { expect } from 'chai'
import { stackDeps } from '../../support/deps.ts'
import { runCommand } from '../../support/operator-commands.ts'
import { until } from '../../support/poll.ts'
import type { Json, TestTenant } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { createTestWebhook } from '../../support/webhooks.ts'

const EVENTS_PER_SECOND = 20
/** An operator is told of an endpoint that dies within this time. */
const TOLD_WITHIN_MS = 120_000
const UNDELIVERED = 'status=pending,retrying,failed&limit=100&payload=false'
/** Why deliveries to a dead endpoint have not arrived: the latest result, or what holds them back until the next probe. */
const REASONS = ['connection_reset', 'endpoint_failing', 'first_attempt_due']

const publish = async (tenant: TestTenant, event: string): Promise<number> =>
  (await tenant.request('POST', '/api-v1-events', { event, data: {} })).status

/** Publishes events at a steady rate. @returns ends it, and gives the answers */
function publishSteadily(tenant: TestTenant, event: string): () => Promise<number[]> {
  const answers: Promise<number>[] = []
  const timer = setInterval(() => answers.push(publish(tenant, event)), 1_000 / EVENTS_PER_SECOND)
  return () => {
    clearInterval(timer)
    return Promise.all(answers)
  }
}

/**
 * What an operator and an owner do when an endpoint dies, with the command line and the API alone. The leader looks every
 * second in place of every minute, so that the test need not wait for it.
 */
describe('an endpoint that dies under 20 events a second', function () {
  this.timeout(TOLD_WITHIN_MS + 90_000)
  const use = useStack({ environment: { RECONCILE_AFTER: '1s' } })
  const cli = (...args: string[]): Promise<Json> => runCommand(stackDeps(use.stack), ...args)
  let stop = (): Promise<number[]> => Promise.resolve([])
  afterEach(() => stop())
  const get = async (path: string): Promise<Json> => (await use.tenant.request('GET', path)).body.data

  // decision: One notice for each cause
  it('is named by notice list, and the command line and the API show why its deliveries do not arrive', async () => {
    const { stack, tenant } = use
    const { companyId } = tenant.tenant
    const dying = await createTestWebhook(stack, tenant, { events: ['contact.created'] })
    const well = await createTestWebhook(stack, tenant, { events: ['deal.created'] })
    expect(await publish(tenant, 'deal.created')).to.equal(201)
    await stack.receiver.waitFor(well.path, 1)
    stop = publishSteadily(tenant, 'contact.created')
    await stack.receiver.waitFor(dying.path, EVENTS_PER_SECOND)
    dying.behave({ reset: true })

    const named = async () => {
      const { data } = await cli('notice', 'list', '--kind', 'webhook_failing')
      return data.map(({ webhook_id: id, company_id: company }: Json) => ({ id, company }))
    }
    const found = await until(named, (list) => list.length > 0, {
      withinMs: TOLD_WITHIN_MS,
      what: 'a notice of the dead endpoint',
    })
    expect(found).to.deep.equal([{ id: dying.id, company: companyId }])

    for (const scope of [
      ['--company', companyId],
      ['--webhook', dying.id],
    ]) {
      const { data } = await cli('delivery', 'list', ...scope, '--undelivered', '--limit', '100')
      const ofDying = data.filter(({ webhook_id: id }: Json) => id === dying.id)
      expect(ofDying, scope.join(' ')).to.not.have.length(0)
      for (const { why } of ofDying) expect(why).to.be.oneOf(REASONS)
    }
    const { health } = await cli('webhook', 'show', '--id', dying.id)
    expect(health).to.include({ state: 'failing', last_error: 'connection_reset', first_attempts_held: true })
    const { health: healthOfWell } = await cli('webhook', 'show', '--id', well.id)
    expect(healthOfWell).to.include({ state: 'healthy', last_error: null })

    for (const list of [
      `/api-v1-deliveries?${UNDELIVERED}`,
      `/api-v1-webhooks/${dying.id}/deliveries?cursor=&${UNDELIVERED}`,
    ]) {
      const deliveries: Json[] = (await get(list)).filter(({ webhook_id: id }: Json) => id === dying.id)
      expect(deliveries, list).to.not.have.length(0)
      const failed = deliveries.filter(({ attempts }) => attempts > 0)
      for (const { error } of failed) expect(error).to.equal('connection_reset')
      const held = deliveries.filter(({ held_reason: reason }) => reason === 'endpoint_failing')
      expect([...failed, ...held], list).to.not.have.length(0)
    }
    expect((await get(`/api-v1-webhooks/${dying.id}`)).health.last_error).to.equal('connection_reset')

    const notices = () => get('/api-v1-notices')
    const failedForGood = ({ kind, webhook_id: id }: Json) => kind === 'deliveries_failed' && id === dying.id
    const all = await until(notices, (list: Json[]) => list.some(failedForGood), { withinMs: 60_000 })
    expect(all.find(failedForGood).count).to.be.above(0)
    expect(new Set(all.map(({ webhook_id: id }: Json) => id as string))).to.deep.equal(new Set([dying.id]))
    expect(new Set(await stop())).to.deep.equal(new Set([201]))
  })
})
