import { insertKey } from '../../src/db/key/keys.ts'
import { insertCompany } from '../../src/db/companies.ts'
import type { Db } from '../../src/db/connection/connection.ts'
import { hashApiKey, keyPrefixOf, newApiKey, type ApiKey } from '../../src/domain/key/key.ts'
import { newId } from '../../src/domain/ids.ts'
import type { Environment, Tenant } from '../../src/domain/tenant.ts'
import { expectDescribed } from './contract.ts'

/** An answer of the API, its JSON read. */
export type ApiAnswer = { readonly status: number; readonly body: Json; readonly headers: Headers }

/** The status of an answer, with the code of a refusal: `404 NOT_FOUND`. */
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

/** A shared key that nobody has used, rotated or revoked. */
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

/** A company (or one that is there) with a fresh key, by default `admin:all`, and a client of the api at `url`. */
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

/** All records of a list that is read to its end by cursor. */
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
