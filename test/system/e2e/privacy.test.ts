import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { deliveryWith } from '../../support/crashes.ts'
import { untilAtLeast } from '../../support/poll.ts'
import { type Json, type TestTenant, createTestWebhook, type TestWebhook } from '../../support/tenants.ts'
import { type Stack, useStack } from '../../support/use-stack.ts'

/** Text that may appear in the database and on the wire to the endpoint, and nowhere else. */
const CANARIES = {
  header: 'canary-header-6f1d',
  payload: 'canary-payload-93ab',
  path: 'canary-path-c70e',
  response: 'canary-response-18f2',
  company: 'canary-company-5d44',
  webhookName: 'canary-name-2b90',
}

describe('what Temporal and the logs get to know', function () {
  this.timeout(90_000)
  const use = useStack('talkative')
  let stack: Stack
  let tenant: TestTenant
  const webhooks: TestWebhook[] = []
  before(async () => {
    ;({ stack } = use)
    tenant = await stack.tenant()
    await stack.db('companies').where({ id: tenant.tenant.companyId }).update({ name: CANARIES.company })
    await live()
  })

  const subscribe = async (type: string, behaviour: object, fields: object = {}): Promise<TestWebhook> => {
    const path = `/${CANARIES.path}-${type}`
    const answer = { body: CANARIES.response, headers: { 'x-answer': CANARIES.response } }
    stack.receiver.behave(path, { ...answer, ...behaviour })
    const named = { name: CANARIES.webhookName, description: CANARIES.webhookName, events: [type] }
    const sent = { url: stack.receiver.url(path), headers: { 'X-Secret': CANARIES.header } }
    const retries = { retry_schedule: [1], max_retries: 1, ...fields }
    const webhook = await createTestWebhook(stack, tenant, { ...named, ...sent, ...retries })
    webhooks.push(webhook)
    return webhook
  }
  const send = async (event: string, isWanted: (row: Json) => boolean): Promise<Json> => {
    const id = `evt_${randomUUID()}`
    const data = { name: CANARIES.payload }
    await tenant.request('POST', '/api-v1-events', { id, event, data })
    return deliveryWith(stack, id, isWanted)
  }

  /** One delivery of every kind: fine, retried, failed, hung, redirected, gone, parked, deleted, by hand, test. */
  async function live(): Promise<void> {
    const fine = await subscribe('contact.created', {})
    await subscribe('contact.updated', { failTimes: 1, status: 500 })
    const failing = await subscribe('contact.deleted', { status: 503 })
    await subscribe('deal.created', { hang: true }, { max_retries: 0 })
    await subscribe('deal.updated', { redirect: `https://127.0.0.1/${CANARIES.path}` }, { max_retries: 0 })
    const gone = await subscribe('deal.deleted', { status: 410 })
    await subscribe('task.created', { reset: true }, { max_retries: 0 })
    const isClosed = ({ status }: Json) => ['success', 'failed'].includes(status as string)
    const [, , failed] = await Promise.all([
      send('contact.created', isClosed),
      send('contact.updated', isClosed),
      send('contact.deleted', isClosed),
      send('deal.created', isClosed),
      send('deal.updated', isClosed),
      send('task.created', isClosed),
      send('deal.deleted', ({ parked_at }) => parked_at !== null),
    ])
    await failing.retry(failed.id)
    await deliveryWith(stack, failed.event_id, ({ attempts }) => attempts === 4)
    await gone.remove()
    for (const { id, test } of [fine, failing]) {
      await test()
      await tenant.request('POST', `/api-v1-webhooks/${id}/regenerate-secret`)
    }
  }

  const forbidden = (): string[] => [
    ...Object.values(CANARIES),
    'whsec_',
    tenant.key,
    ...webhooks.map(({ secret }) => secret.slice('whsec_'.length)),
  ]
  const found = (text: string, words: readonly string[]) => words.filter((word) => text.includes(word))

  /** The texts forbidden at Temporal. Failures go there without stack traces, so no URL or path may appear either. */
  const forbiddenAtTemporal = () => [
    ...forbidden(),
    ...['https://', '127.0.0.1', process.cwd(), '/src/', '/dist/'],
  ]

  it('Temporal: ids, statuses and durations in every history, and no forbidden text', async () => {
    const { temporal, db } = stack
    const deliveries = await db('deliveries').select<{ id: string }[]>('id')
    await untilAtLeast(() => countWorkflows(), deliveries.length, { what: 'all workflows in the list' })
    for await (const { workflowId, runId, raw } of temporal.workflow.list()) {
      const handle = temporal.workflow.getHandle(workflowId, runId)
      const history = JSON.parse(historyToJSON(await handle.fetchHistory()))
      const description = (await handle.describe()).raw
      for (const part of [history, raw, description])
        expect(found(decoded(part), forbiddenAtTemporal()), workflowId).to.deep.equal([])
    }
  })

  // decision: The worker's log of attempts
  it('logs: no forbidden text in what api and worker print at their most detailed level', () => {
    const messages = ['attempt failed', 'attempt succeeded', 'delivery failed', 'webhook deactivated']
    for (const message of [...messages, 'deliveries failed'])
      expect(stack.workers[0]!.output()).to.include(`"msg":"${message}"`)
    for (const running of [stack.api, ...stack.workers]) {
      expect(running.output()).to.include('"level"')
      expect(found(running.output(), forbidden())).to.deep.equal([])
    }
  })

  async function countWorkflows(): Promise<number> {
    return (await stack.temporal.workflow.count()).count
  }
})

/** Everything in the value as one text: strings unchanged and decoded from base64, bytes as UTF-8. */
function decoded(value: Json): string {
  if (typeof value === 'string') return `${value}\n${Buffer.from(value, 'base64').toString('utf8')}\n`
  if (value instanceof Uint8Array) return `${Buffer.from(value).toString('utf8')}\n`
  if (Array.isArray(value)) return value.map(decoded).join('')
  if (value === null || typeof value !== 'object') return ''
  return Object.entries(value as Record<string, Json>)
    .map(([name, inner]) => `${name}\n${decoded(inner)}`)
    .join('')
}
