import { randomUUID } from 'node:crypto'
import type { Behaviour, ReceivedRequest } from '../../scripts/receiver/receiver.ts'
import type { Json, TestTenant } from './tenants.ts'
import { until } from './poll.ts'
import type { Stack, StackInUse } from './use-stack.ts'

export type TestWebhook = Awaited<ReturnType<typeof createTestWebhook>>

let paths = 0

/** Registers a webhook on the test receiver, at a path of its own or the given `url`; from now on its signatures are checked. */
export async function createTestWebhook(
  stack: Stack,
  tenant: TestTenant,
  fields: { readonly url?: string; readonly [field: string]: unknown } = {},
) {
  const path = fields.url === undefined ? `/hook-${++paths}` : new URL(fields.url).pathname
  const usual = { name: 'test webhook', url: stack.receiver.url(path), events: ['contact.created'] }
  const answer = await tenant.request('POST', '/api-v1-webhooks', { ...usual, ...fields })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  const { id, secret } = answer.body.data as { id: string; secret: string }
  stack.receiver.trust(path, secret)
  const base = `/api-v1-webhooks/${id}`
  const read = async (url: string): Promise<Json> => (await tenant.request('GET', url)).body.data
  const deliveries = (query = ''): Promise<Json[]> => read(`${base}/deliveries${query}`)
  return {
    tenant,
    id,
    secret,
    path,
    /** Tells the test receiver how to answer from now on; without a behaviour as it does by default. */
    behave: (behaviour?: Behaviour): void => stack.receiver.behave(path, behaviour),
    /** What the test receiver got so far. */
    requests: (): ReceivedRequest[] => stack.receiver.requestsTo(path),
    deliveries,
    get: () => read(base),
    detail: (deliveryId: string) => read(`${base}/deliveries/${deliveryId}`),
    change: (changes: object) => tenant.request('PATCH', base, changes),
    remove: () => tenant.request('DELETE', base),
    /** Asks for a retry of a delivery by hand. */
    retry: (deliveryId: string) => tenant.request('POST', `${base}/deliveries/${deliveryId}/retry`),
    resend: (deliveryId: string) => tenant.request('POST', `${base}/deliveries/${deliveryId}/resend`),
    /** Asks for a test event. */
    test: (body?: object) => tenant.request('POST', `${base}/test`, body),
    /** Asks for a recovery, by default of all that failed. */
    recover: (body: object = { since: '2020-01-01T00:00:00Z' }) =>
      tenant.request('POST', `${base}/recover`, body),
    recovery: (recoveryId: string) => read(`${base}/recoveries/${recoveryId}`),
    /** The only delivery, once it has the status. */
    async delivery(status: string, options: { readonly withinMs?: number } = {}): Promise<Json> {
      const what = `a delivery with status ${status}`
      const [only] = await until(deliveries, ([first]) => first?.status === status, { ...options, what })
      return only
    },
    /** All of so many deliveries, once they have arrived. */
    delivered: (count: number, options: { readonly withinMs?: number } = {}): Promise<Json[]> => {
      const isThere = (all: Json[]) => all.length === count && all.every(({ status }) => status === 'success')
      return until(() => deliveries('?limit=100'), isThere, { ...options, what: `${count} that arrived` })
    },
  }
}

/** Makes a contact, and so publishes contact.created. */
export async function createContact(tenant: TestTenant, name = 'Ada Lovelace'): Promise<Json> {
  const answer = await tenant.request('POST', '/api-v1-contacts', { name })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.body.data
}

/**
 * Publishes an event to a new webhook with these fields, whose endpoint behaves like this, and waits until its only delivery
 * has the status.
 */
export async function deliver(
  { stack, tenant }: StackInUse,
  status: string,
  fields: Record<string, unknown> = {},
  behaviour?: Behaviour,
): Promise<{ readonly webhook: TestWebhook; readonly id: string; readonly shown: Json }> {
  const webhook = await createTestWebhook(stack, tenant, fields)
  webhook.behave(behaviour)
  await createContact(tenant)
  const shown = await webhook.delivery(status)
  return { webhook, id: shown.id, shown }
}

/** Publishes so many events without data, a hundred in a request. @returns their ids */
export async function publishMany(
  tenant: Pick<TestTenant, 'request'>,
  count: number,
  event = 'contact.created',
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => `evt_${randomUUID()}`)
  for (let sent = 0; sent < count; sent += 100) {
    const events = ids.slice(sent, sent + 100).map((id) => ({ id, event, data: {} }))
    const answer = await tenant.request('POST', '/api-v1-events', { events })
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  }
  return ids
}
