import { apiClient } from '../../demo/http.mjs'
import { createDatabase } from './other-database.mjs'

/**
 * @typedef {object} OtherTenant
 * @property {string} companyId
 * @property {string} keyId
 * @property {string} key an admin:all key
 * @property {import('./stack.mjs').Api} api
 *
 * @typedef {object} OtherApi a fresh api: its memory is that of this row alone, and no worker delivers what it publishes
 * @property {string} url
 * @property {number} pid
 * @property {import('./other-database.mjs').OtherDatabase} database
 * @property {import('knex').Knex} db
 * @property {() => Promise<OtherTenant>} tenant makes a company with a key
 */

/**
 * Runs the work with an api on a database of its own, without a worker. Both are removed afterwards.
 *
 * @template T
 * @param {import('./stack.mjs').HostileStack} stack
 * @param {{ name: string, settings?: Record<string, string> }} options name: of the database; settings: of the api
 * @param {(other: OtherApi) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withOtherApi(stack, { name, settings }, work) {
  const database = await createDatabase(stack, name)
  try {
    const { url, pid, stop } = await stack.startApi({ ...settings, DATABASE_URL: database.env.DATABASE_URL })
    const { db } = database
    return await work({ url, pid, database, db, tenant: () => createTenant(db, url) }).finally(stop)
  } finally {
    await database.drop()
  }
}

/**
 * Creates a company and a key without the command line, which would take seconds for a dozen.
 *
 * @param {import('knex').Knex} db
 * @param {string} url of the api
 * @returns {Promise<OtherTenant>}
 */
async function createTenant(db, url) {
  const { insertCompany } = await import('../../../src/db/companies.ts')
  const { insertKey } = await import('../../../src/db/key/keys.ts')
  const { hashApiKey, keyPrefixOf, newApiKey } = await import('../../../src/domain/key/key.ts')
  const { newId } = await import('../../../src/domain/ids.ts')
  const [companyId, keyId, key, createdAt] = [
    newId('company'),
    newId('apiKey'),
    newApiKey('salesdata', 'live'),
    new Date(),
  ]
  await insertCompany(db, { id: companyId, name: 'Benchmark', createdAt })
  const facts = { id: keyId, companyId, environment: 'live', userId: null, createdAt, requestCount: 0 }
  const texts = { name: 'Benchmark', description: null, prefix: keyPrefixOf(key), type: 'Shared' }
  const rights = { scopes: ['admin:all'], isActive: true, ipAllowlist: [], expiresAt: null, rotatedTo: null }
  const past = { revokedAt: null, revokedReason: null, lastUsedAt: null, lastUsedIp: null }
  await insertKey(db, { ...facts, ...texts, ...rights, ...past }, hashApiKey(key))
  return { companyId, keyId, key, api: apiClient(url, key) }
}
