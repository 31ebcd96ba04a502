import { insertKey } from '../../src/db/key/keys.ts'
import { insertCompany } from '../../src/db/companies.ts'
import type { Db } from '../../src/db/connection/connection.ts'
import { hashApiKey, keyPrefixOf, newApiKey, type ApiKey } from '../../src/domain/key/key.ts'
import { newId } from '../../src/domain/ids.ts'
import type { Environment, Tenant } from '../../src/domain/tenant.ts'
import { expectDescribed } from './contract.ts'
import { randomUUID } from 'node:crypto'
import type { Behaviour, ReceivedRequest } from '../../scripts/receiver/receiver.ts'
import { until } from './poll.ts'
import type { Stack, StackInUse } from './use-stack.ts'

/** An answer of the API with its parsed JSON. */
export type ApiAnswer = { readonly status: number; readonly body: Json; readonly headers: Headers }

/** The status of an answer, with the code of a refusal, such as `404 NOT_FOUND`. */
export const verdictOf = ({ status, body }: Pick<ApiAnswer, 'status' | 'body'>): string =>
  body?.error ? `${status} ${body.error.code as string}` : String(status)

/** JSON whose shape the test asserts. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test reads answers freely and asserts what it reads
export type Json = any

export type TestTenant = {
  readonly tenant: Tenant
  readonly key: string
  readonly keyId: string
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>
}

export type KeyOptions = Partial<Pick<ApiKey, 'scopes' | 'ipAllowlist' | 'expiresAt' | 'isActive'>> & {
  readonly companyId?: string
  readonly environment?: Environment
}

/** A shared key that no test has used, rotated or revoked. */
const UNUSED = {
  name: 'test key',
  description: null,
  userId: null,
  type: 'Shared' as const,
  revokedAt: null,
  revokedReason: null,
  rotatedTo: null,
  lastUsedAt: null,
  lastUsedIp: null,
  requestCount: 0,
}

/** Makes or takes a company, with a new key (`admin:all` unless given) and a client of the api at `url`. */
export async function createTestTenant(db: Db, url: string, options: KeyOptions = {}): Promise<TestTenant> {
  const { companyId = newId('company'), environment = 'live' } = options
  const { scopes = ['admin:all'], isActive = true, ipAllowlist = [], expiresAt = null } = options
  const createdAt = new Date()
  if (!options.companyId) await insertCompany(db, { id: companyId, name: 'Test company', createdAt })
  const key = newApiKey('salesdata', environment)
  const keyId = newId('apiKey')
  const given = { scopes, isActive, ipAllowlist, expiresAt, createdAt }
  const row: ApiKey = { ...UNUSED, ...given, id: keyId, companyId, environment, prefix: keyPrefixOf(key) }
  await insertKey(db, row, hashApiKey(key))
  return { tenant: { companyId, environment }, key, keyId, request: clientOf(url, key) }
}

/** A client of the api at `url` with a key. */
export function clientOf(url: string, key: string): TestTenant['request'] {
  return async (method, path, body, more = {}) => {
    const type = body !== undefined && { 'content-type': 'application/json' }
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...type, ...more },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { status, headers } = response
    const text = await response.text()
    const answer: ApiAnswer = { status, headers, body: text === '' ? undefined : JSON.parse(text) }
    await expectDescribed(`${url}${path}`, method, answer)
    return answer
  }
}

/** Reads a list to its end by cursor, and returns all records. */
export async function readToEnd({ request }: Pick<TestTenant, 'request'>, path: string): Promise<Json[]> {
  const found: Json[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const answer = await request('GET', `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`)
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    const { has_more: hasMore, next_cursor: next } = answer.body.pagination
    if (hasMore !== (next !== null)) throw new Error(`has_more and next_cursor of ${path} differ`)
    found.push(...answer.body.data)
    cursor = next
  }
  return found
}

export type TestWebhook = Awaited<ReturnType<typeof createTestWebhook>>

let paths = 0

/** Registers a webhook at the given `url` or a new path of the test receiver, which verifies its signatures. */
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
    /** Sets how the test receiver answers. Without a behaviour it answers by its default. */
    behave: (behaviour?: Behaviour): void => stack.receiver.behave(path, behaviour),
    /** The requests that the test receiver got. */
    requests: (): ReceivedRequest[] => stack.receiver.requestsTo(path),
    deliveries,
    get: () => read(base),
    detail: (deliveryId: string) => read(`${base}/deliveries/${deliveryId}`),
    change: (changes: object) => tenant.request('PATCH', base, changes),
    remove: () => tenant.request('DELETE', base),
    /** Requests a manual retry of a delivery. */
    retry: (deliveryId: string) => tenant.request('POST', `${base}/deliveries/${deliveryId}/retry`),
    resend: (deliveryId: string) => tenant.request('POST', `${base}/deliveries/${deliveryId}/resend`),
    /** Requests a test event. */
    test: (body?: object) => tenant.request('POST', `${base}/test`, body),
    /** Requests a recovery, by default of all failed deliveries. */
    recover: (body: object = { since: '2020-01-01T00:00:00Z' }) =>
      tenant.request('POST', `${base}/recover`, body),
    recovery: (recoveryId: string) => read(`${base}/recoveries/${recoveryId}`),
    /** Returns the only delivery once it has the status. */
    async delivery(status: string, options: { readonly withinMs?: number } = {}): Promise<Json> {
      const what = `a delivery with status ${status}`
      const [only] = await until(deliveries, ([first]) => first?.status === status, { ...options, what })
      return only
    },
    /** Returns all deliveries once `count` of them have arrived. */
    delivered: (count: number, options: { readonly withinMs?: number } = {}): Promise<Json[]> => {
      const isThere = (all: Json[]) => all.length === count && all.every(({ status }) => status === 'success')
      return until(() => deliveries('?limit=100'), isThere, { ...options, what: `${count} that arrived` })
    },
  }
}

/** Creates a contact, which publishes contact.created. */
export async function createContact(tenant: TestTenant, name = 'Ada Lovelace'): Promise<Json> {
  const answer = await tenant.request('POST', '/api-v1-contacts', { name })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.body.data
}

/**
 * Publishes an event to a new webhook with these fields and this endpoint behaviour. Waits until its only delivery has
 * the status.
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

/** Publishes `count` events without data, a hundred per request. @returns their ids */
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
