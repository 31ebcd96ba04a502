import { randomUUID } from 'node:crypto'
import type { Stack } from './stack.ts'
import type { ApiAnswer, Json, TestTenant } from './tenants.ts'
import { until } from './poll.ts'

export type TestWebhook = {
  readonly id: string
  readonly secret: string
  readonly path: string
  readonly deliveries: (query?: string) => Promise<Json[]>
  /** The only delivery, once it has the status. */
  readonly delivery: (status: string, options?: { withinMs?: number }) => Promise<Json>
  readonly get: () => Promise<Json>
  readonly detail: (deliveryId: string) => Promise<Json>
  readonly change: (fields: object) => Promise<ApiAnswer>
  readonly remove: () => Promise<ApiAnswer>
  /** Asks for a retry of a delivery by hand. */
  readonly retry: (deliveryId: string) => Promise<ApiAnswer>
}

let paths = 0

/** Registers a webhook on the test receiver, at a path of its own or the given `url`; from now on its signatures are checked. */
export async function createTestWebhook(
  stack: Stack,
  tenant: TestTenant,
  fields: { readonly url?: string; readonly [field: string]: unknown } = {},
): Promise<TestWebhook> {
  const path = fields.url === undefined ? `/hook-${++paths}` : new URL(fields.url).pathname
  const answer = await tenant.request('POST', '/api-v1-webhooks', {
    name: 'test webhook',
    url: stack.receiver.url(path),
    events: ['contact.created'],
    ...fields,
  })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  const { id, secret } = answer.body.data as { id: string; secret: string }
  stack.receiver.trust(path, secret)
  const base = `/api-v1-webhooks/${id}`
  const read = async (url: string): Promise<Json> => (await tenant.request('GET', url)).body.data
  const deliveries = (query = ''): Promise<Json[]> => read(`${base}/deliveries${query}`)
  return {
    id,
    secret,
    path,
    deliveries,
    get: () => read(base),
    detail: (deliveryId) => read(`${base}/deliveries/${deliveryId}`),
    change: (changes) => tenant.request('PATCH', base, changes),
    remove: () => tenant.request('DELETE', base),
    retry: (deliveryId) => tenant.request('POST', `${base}/deliveries/${deliveryId}/retry`),
    async delivery(status, options = {}) {
      const list = await until(
        () => deliveries(),
        ([only]) => only?.status === status,
        { ...options, what: `a delivery with status ${status}` },
      )
      return list[0]
    },
  }
}

/** Makes a contact, and so publishes contact.created. */
export async function createContact(tenant: TestTenant, name = 'Ada Lovelace'): Promise<Json> {
  const answer = await tenant.request('POST', '/api-v1-contacts', { name })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.body.data
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
