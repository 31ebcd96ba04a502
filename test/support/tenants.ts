import { insertKey } from '../../src/db/key/keys.ts'
import { insertCompany } from '../../src/db/companies.ts'
import type { Db } from '../../src/db/connection/connection.ts'
import { hashApiKey, keyPrefixOf, newApiKey, type ApiKey } from '../../src/domain/key/key.ts'
import { newId } from '../../src/domain/ids.ts'
import type { Environment, Tenant } from '../../src/domain/tenant.ts'
import { expectDescribed } from './contract.ts'

/** An answer of the API, its JSON read. */
export type ApiAnswer = { readonly status: number; readonly body: Json; readonly headers: Headers }

/** JSON whose shape the test asserts. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test reads answers freely and asserts what it reads
export type Json = any

export type TestTenant = {
  readonly tenant: Tenant
  readonly key: string
  readonly keyId: string
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>
}

type KeyOptions = Partial<Pick<ApiKey, 'scopes' | 'ipAllowlist' | 'expiresAt' | 'isActive'>> & {
  readonly companyId?: string
  readonly environment?: Environment
}

/** A company (or one that is there) with a fresh key, by default `admin:all`, and a client of the api at `url`. */
export async function createTestTenant(db: Db, url: string, options: KeyOptions = {}): Promise<TestTenant> {
  const companyId = options.companyId ?? newId('company')
  const environment = options.environment ?? 'live'
  if (!options.companyId)
    await insertCompany(db, { id: companyId, name: 'Test company', createdAt: new Date() })
  const key = newApiKey('salesdata', environment)
  const keyId = newId('apiKey')
  await insertKey(
    db,
    {
      id: keyId,
      companyId,
      environment,
      userId: null,
      name: 'test key',
      description: null,
      prefix: keyPrefixOf(key),
      scopes: options.scopes ?? ['admin:all'],
      type: 'Shared',
      isActive: options.isActive ?? true,
      ipAllowlist: options.ipAllowlist ?? [],
      expiresAt: options.expiresAt ?? null,
      revokedAt: null,
      revokedReason: null,
      rotatedTo: null,
      createdAt: new Date(),
      lastUsedAt: null,
      lastUsedIp: null,
      requestCount: 0,
    },
    hashApiKey(key),
  )
  return { tenant: { companyId, environment }, key, keyId, request: clientOf(url, key) }
}

/** A client of the api at `url` with a key. */
export const clientOf =
  (url: string, key: string): TestTenant['request'] =>
  (method, path, body, headers) =>
    request(`${url}${path}`, method, key, body, headers)

async function request(
  url: string,
  method: string,
  key: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const answer: ApiAnswer = {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
  await expectDescribed(url, method, answer)
  return answer
}
