// Also on MySQL with direct attempts: it matters who makes the first attempt.
import { expect } from 'chai'
import { PURGE_SCHEDULE_ID } from '../../../src/workflows/contract.ts'
import { until, untilIs } from '../../support/poll.ts'
import { type Json, type TestTenant, createTestWebhook } from '../../support/tenants.ts'
import { type Stack, useStack } from '../../support/use-stack.ts'

const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS)

describe('the purge of old history', () => {
  // A separate stack, because a purge reads the rows of every company, and checks their totals for up to 5 s.
  const use = useStack({})
  let stack: Stack
  let tenant: TestTenant
  let own: { company_id: string }
  beforeEach(() => {
    ;({ stack, tenant } = use)
    own = { company_id: tenant.tenant.companyId }
  })

  const createWebhook = async (hook: string): Promise<string> =>
    (await createTestWebhook(stack, tenant, { url: stack.receiver.url(hook), max_retries: 0 })).id
  async function publish(): Promise<string> {
    const body = { event: 'contact.created', data: {} }
    return (await tenant.request('POST', '/api-v1-events', body)).body.data.id as string
  }

  /** Triggers a run of the schedule and waits for its end. */
  async function purge(): Promise<void> {
    const handle = stack.temporal.schedule.getHandle(PURGE_SCHEDULE_ID)
    const { length } = (await handle.describe()).info.recentActions
    await handle.trigger()
    const actions = await until(
      async () => (await handle.describe()).info.recentActions,
      (recent) => recent.length > length,
      { what: 'a run of the schedule' },
    )
    const { workflowId, firstExecutionRunId } = actions.at(-1)!.action.workflow
    await stack.temporal.workflow.getHandle(workflowId, firstExecutionRunId).result()
  }

  // decision: Retention
  it('removes old closed deliveries and their events, and keeps figures, new and open deliveries and their events', async () => {
    stack.receiver.behave('/fails', { status: 500 })
    const [works, fails] = [await createWebhook('/works'), await createWebhook('/fails')]
    const [old, shared, young] = [await publish(), await publish(), await publish()]
    const list = (id: string) => tenant.request('GET', `/api-v1-webhooks/${id}/deliveries`)
    const rows = () => stack.db('deliveries').where(own)
    await untilIs(async () => (await rows().whereNotNull('closed_at')).length, 6, {
      what: 'closed deliveries',
    })
    // While the relay claims the row that gives a failed delivery to a workflow, the purge leaves it to its next round.
    await untilIs(() => stack.count('outbox', own), 0, { what: 'what the relay has to do' })
    const deliveries = await rows().pluck('id')
    const setRows = (where: object, columns: object) => stack.set('deliveries', { ...own, ...where }, columns)
    for (const id of [old, shared]) {
      await setRows({ event_id: id }, { closed_at: daysAgo(31) })
      await stack.set('events', { ...own, id }, { created_at: daysAgo(40) })
    }
    await setRows({ event_id: shared, webhook_id: fails }, { closed_at: daysAgo(29) })
    const open = { closed_at: null, created_at: daysAgo(60) }
    await setRows({ event_id: young, webhook_id: fails }, open)

    await purge()

    expect((await list(works)).body.pagination.total).to.equal(1)
    expect((await list(works)).body.data.map((item: Json) => item.event_id)).to.deep.equal([young])
    expect((await list(fails)).body.pagination.total).to.equal(2)
    const { body: webhook } = await tenant.request('GET', `/api-v1-webhooks/${works}`)
    expect(webhook.data).to.deep.include({ total_deliveries: 3, successful_deliveries: 3 })
    const attempts = await stack.db('attempts').whereIn('delivery_id', deliveries)
    expect(attempts).to.have.length(3)
    expect(await stack.count('events', { id: old })).to.equal(0)
    expect(await stack.count('events', { id: shared })).to.equal(1)
    expect(await stack.count('events', { id: young })).to.equal(1)
  })
})
