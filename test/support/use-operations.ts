import { databaseNow } from '../../src/db/clock.ts'
import type { DeliveryRow } from '../../src/db/delivery/rows.ts'
import { claimShares } from '../../src/db/outbox/claims.ts'
import { readCounters, toWebhookCounters } from '../../src/db/webhook/counters.ts'
import { toHealthRow } from '../../src/db/webhook/health-rows.ts'
import { COMMAND_LINE } from '../../src/domain/actor.ts'
import type { EventType } from '../../src/domain/event/catalog.ts'
import type { Tenant, Environment } from '../../src/domain/tenant.ts'
import { type EndpointHealth, HEALTHY } from '../../src/domain/webhook/health.ts'
import type { CreatedWebhook } from '../../src/domain/webhook/webhook.ts'
import { type EventInput, publishEvents } from '../../src/operations/event/publish.ts'
import { resumeCompany, suspendCompany, createCompany } from '../../src/operations/companies.ts'
import { changeWebhook, deleteWebhook, type WebhookChangeInput } from '../../src/operations/webhook/change.ts'
import { createWebhook, type NewWebhookInput } from '../../src/operations/webhook/create.ts'
import { getWebhook } from '../../src/operations/webhook/read.ts'
import type { SystemDeps, Deps } from '../../src/deps/deps.ts'
import { here, useDatabase, testDeps } from './database.ts'
import { insertOpenDeliveries, insertWebhooks } from './many-rows.ts'
import { newId } from '../../src/domain/ids.ts'
import type { RotationGrace } from '../../src/domain/key/rotation.ts'
import { revokeApiKey, updateApiKey } from '../../src/operations/key/change.ts'
import { createApiKey, type ApiKeyInput } from '../../src/operations/key/create.ts'
import { showApiKey } from '../../src/operations/key/read.ts'
import { rotateApiKey } from '../../src/operations/key/rotate.ts'
import { createUser, removeUser } from '../../src/operations/user/members.ts'
import { ApiError } from '../../src/domain/errors.ts'

/** The fields of a new webhook, with those that a test sets. */
export const webhookInput = (fields: Partial<NewWebhookInput> = {}): NewWebhookInput => ({
  name: 'a webhook',
  url: 'https://hooks.example.com/',
  events: ['contact.created'],
  ...fields,
})

/**
 * Prepares a database for the operations before the tests of the surrounding `describe`, and removes it after them.
 * Each test has its own company. Read the members inside tests.
 */
export function useOperations() {
  const database = useDatabase()
  let deps: SystemDeps | undefined
  let keyring: Keyring | undefined
  before(() => void (deps = testDeps(database)))
  beforeEach(async () => void (keyring = await createKeyring(its.deps)))
  const its = {
    database,
    get db() {
      return database.db
    },
    get deps(): SystemDeps {
      return here(deps)
    },
    /** The company of the test. */
    get keyring(): Keyring {
      return here(keyring)
    },
    /** The context that the operations need, with these settings. */
    depsWith: (environment?: Record<string, string>): SystemDeps => testDeps(database, environment),
    /** The rows of the company in a table. */
    own: (table: string) => database.db(table).where({ company_id: its.tenant().companyId }),
    tenant: (): Tenant => ({ companyId: its.keyring.companyId, environment: 'live' }),
    create: (fields?: Partial<NewWebhookInput>): Promise<CreatedWebhook> =>
      createWebhook(its.deps, its.tenant(), COMMAND_LINE, webhookInput(fields)),
    /** Tenants that own none of the company's rows. */
    foreign: (): Tenant[] => foreignTenants(its.tenant()),
    /** Inserts active webhooks without the operation, and returns their ids. */
    insertWebhooks: (count: number, owner?: Tenant, events?: readonly string[]): Promise<string[]> =>
      insertWebhooks(database.db, owner ?? its.tenant(), count, events),
    /** Creates a webhook and returns its id. */
    newWebhook: async (fields?: Partial<NewWebhookInput>): Promise<string> =>
      (await its.create(fields)).webhook.id,
    /** Publishes an event to a new webhook. Returns the ids of the event, the webhook and the delivery. */
    delivery: async (fields?: Partial<NewWebhookInput>) => {
      const webhookId = await its.newWebhook(fields)
      const [event] = await its.publish()
      return { webhookId, eventId: event!.id, id: (await its.rowsOf(webhookId))[0]!.id }
    },
    publish: (count = 1, type: EventType = 'contact.created') =>
      publishEvents(its.deps, its.tenant(), Array<EventInput>(count).fill({ type, data: {} })),
    change: (webhookId: string, fields: WebhookChangeInput) =>
      changeWebhook(its.deps, its.tenant(), COMMAND_LINE, webhookId, fields),
    setActive: (webhookId: string, isActive: boolean) => its.change(webhookId, { isActive }),
    /** Whether a webhook is active, and why the service deactivated it. */
    stateOf: async (webhookId: string) => {
      const { isActive, deactivatedReason } = await getWebhook(its.deps, its.tenant(), webhookId)
      return { isActive, deactivatedReason }
    },
    remove: (webhookId: string) => deleteWebhook(its.deps, its.tenant(), COMMAND_LINE, webhookId),
    suspend: () => suspendCompany(its.deps, COMMAND_LINE, its.tenant().companyId),
    resume: () => resumeCompany(its.deps, COMMAND_LINE, its.tenant().companyId),
    /** Claims rows of a queue of the company for a worker, with direct attempts. */
    claim: (queue: string, { owner = 'w1', leaseMs = 60_000, isDirect = true, rows = 10 } = {}) =>
      claimShares(its.deps.batchDb, [{ queue, companyId: its.tenant().companyId, rows }], {
        owner,
        leaseMs,
        isDirect,
      }),
    /** Inserts open deliveries of a webhook without a workflow or an outbox row. Returns their ids. */
    insertOpen: (webhookId: string, columns: Partial<DeliveryRow> = {}, count = 1): Promise<string[]> =>
      insertOpenDeliveries(database.db, count, { tenant: its.tenant(), webhookId, columns }),
    /** Returns the row of an existing delivery. */
    rowOf: async (id: string): Promise<DeliveryRow> =>
      (await database.db<DeliveryRow>('deliveries').where({ id }).first())!,
    /** Returns the rows of a webhook's deliveries, the oldest first. */
    rowsOf: (webhookId: string): Promise<DeliveryRow[]> =>
      database.db<DeliveryRow>('deliveries').where({ webhook_id: webhookId }).orderBy(['created_at', 'id']),
    /** Returns the figures of a webhook from its counters. */
    countersOf: async (id: string) =>
      toWebhookCounters((await readCounters(database.db, its.tenant(), [id])).get(id)),
    /** Writes the health of an endpoint as a worker records it: healthy except for these fields. */
    setHealth: async (webhookId: string, fields: Partial<EndpointHealth>): Promise<void> => {
      const row = toHealthRow(webhookId, { ...HEALTHY, ...fields }, await databaseNow(database.db))
      await database.db('webhook_health').insert(row).onConflict('webhook_id').merge()
    },
    /** Deletes all rows of the tables, including rows of other tests. */
    empty: async (...tables: string[]): Promise<void> => {
      for (const table of tables) await database.db(table).delete()
    },
    /** Changes columns of rows directly, without the service. */
    set: (table: string, where: object, columns: object) => database.db(table).where(where).update(columns),
    /** The audit entries of an object, in order, as `action details`. */
    audited: async (id: string): Promise<string[]> => {
      const rows: Record<string, string>[] = await its.own('audit').where({ subject_id: id }).orderBy('id')
      return rows.map(({ action, details }) => `${action} ${details}`)
    },
    /** The audit actions on an object, in order. */
    actions: async (id: string): Promise<string[]> =>
      (await its.audited(id)).map((entry) => entry.slice(0, entry.indexOf(' '))),
    /** The kinds of the company's waiting commands, in order. */
    queued: (): Promise<string[]> => its.own('outbox').orderBy('id').pluck('kind'),
  }
  return its
}

/** Tenants that own nothing of this tenant: its company in the other environment, and another company. */
export const foreignTenants = ({ companyId, environment }: Tenant): Tenant[] => [
  { companyId, environment: environment === 'live' ? 'test' : 'live' },
  { companyId: newId('company'), environment },
]

export type TestKey = { readonly id: string; readonly secret: string }

/** A company with keys and users that a test makes as an operator does. */
export type Keyring = Awaited<ReturnType<typeof createKeyring>>

export async function createKeyring(deps: Deps) {
  const { id: companyId } = await createCompany(deps, COMMAND_LINE, { name: 'Test company' })
  let users = 0
  return {
    companyId,
    /** Makes a key with `admin:all` or the given scopes. */
    create: async (input: Partial<ApiKeyInput> = {}, environment: Environment = 'live'): Promise<TestKey> => {
      const given = { name: 'test key', scopes: ['admin:all'], ...input }
      const { key, secret } = await createApiKey(deps, { companyId, environment }, COMMAND_LINE, given)
      return { id: key.id, secret }
    },
    change: (id: string, fields: Parameters<typeof updateApiKey>[4]) =>
      updateApiKey(deps, companyId, COMMAND_LINE, id, fields),
    revoke: (id: string) => revokeApiKey(deps, companyId, COMMAND_LINE, id),
    show: (id: string) => showApiKey(deps, companyId, id),
    rotate: (id: string, grace: RotationGrace = '1h', expiresAt?: Date | null) =>
      rotateApiKey(deps, companyId, COMMAND_LINE, id, { grace, expiresAt }),
    /** Removes a user. */
    remove: (userId: string) => removeUser(deps, companyId, COMMAND_LINE, userId),
    /** Makes a member of the company. */
    user: async (email = `user${++users}@example.com`): Promise<string> => {
      const input = { email, name: 'A user', password: 'correct horse', role: 'member' } as const
      return (await createUser(deps, companyId, COMMAND_LINE, input)).id
    },
  }
}

/** Returns `CODE: message` of the promise's refusal, or `none` when the promise resolves. It throws any other error. */
export async function refusalOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
    return 'none'
  } catch (error) {
    if (error instanceof ApiError) return `${error.code}: ${error.message}`
    throw error
  }
}
