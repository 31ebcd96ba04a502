import type { DeliveryRow } from '../../src/db/delivery/rows.ts'
import type { ConsoleClient, ConsoleInUse } from './console.ts'
import { insertOpenDeliveries } from './many-rows.ts'
import { until } from './poll.ts'
import { createTestTenant, type Json, type TestTenant } from './tenants.ts'
import { createContact } from './webhooks.ts'

let paths = 0

/** Makes something by the session API of whoever is signed in. @throws Error for a refusal */
export async function make(client: ConsoleClient, path: string, body: object): Promise<Json> {
  const answer = await client.call('POST', path, body)
  if (answer.status === 200 || answer.status === 201) return answer.body.data
  throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
}

export type ConsoleWebhook = { readonly id: string; readonly secret: string; readonly path: string }

/** Makes a webhook to a path of its own at the receiver, which verifies its signatures from now on. */
export async function makeWebhook(
  { stack: { receiver } }: ConsoleInUse,
  client: ConsoleClient,
  fields: object = {},
): Promise<ConsoleWebhook> {
  const path = `/console-${++paths}`
  const body = { name: 'Contacts', url: receiver.url(path), events: ['contact.created'], max_retries: 0 }
  const { id, secret } = await make(client, '/webhooks', { ...body, ...fields })
  receiver.trust(path, secret)
  return { id, secret, path }
}

/** A key of the test's company that may do everything, with a client that uses it. */
export const makeKey = ({ stack, companyId }: ConsoleInUse): Promise<TestTenant> =>
  createTestTenant(stack.db, stack.api.url, { companyId })

/** Inserts deliveries of a webhook that have ended, as failed unless `columns` say something else. Gives their ids. */
export const insertEndedDeliveries = (
  { stack: { db }, companyId }: ConsoleInUse,
  count: number,
  webhookId: string,
  columns: Partial<DeliveryRow> = {},
): Promise<string[]> =>
  insertOpenDeliveries(db, count, {
    tenant: { companyId, environment: 'live' },
    webhookId,
    columns: { status: 'failed', attempts: 1, next_retry_at: null, wake_at: null, ...columns },
  })

/** Makes a webhook whose endpoint answers 500, and gives its id. */
export async function makeFailingWebhook(
  console: ConsoleInUse,
  client: ConsoleClient,
  name: string,
): Promise<string> {
  const { id, path } = await makeWebhook(console, client, { name })
  console.stack.receiver.behave(path, { status: 500 })
  return id
}

/** Makes a webhook with so many deliveries that failed for good. Its endpoint is back afterwards. */
export async function makeFailedDeliveries(
  console: ConsoleInUse,
  client: ConsoleClient,
  count: number,
): Promise<ConsoleWebhook> {
  const webhook = await makeWebhook(console, client)
  const { receiver } = console.stack
  receiver.behave(webhook.path, { status: 500 })
  const key = await makeKey(console)
  for (let number = 0; number < count; number++) await createContact(key)
  await until(
    () => client.call('GET', `/webhooks/${webhook.id}/deliveries?status=failed&limit=100`),
    ({ body }) => body.data.length === count,
    { what: `${count} failed deliveries` },
  )
  receiver.behave(webhook.path, {})
  return webhook
}

/** The token of a link that invites somebody or lets somebody choose another password. */
export const tokenOf = (link: string): string => new URL(link).hash.slice(1)

/** As if whoever is signed in had given the password eleven minutes ago. */
export const forgetPassword = ({ stack: { db } }: ConsoleInUse, userId: string): Promise<number> =>
  db('console_sessions')
    .where({ user_id: userId })
    .update({ password_at: db.raw('password_at - INTERVAL 11 MINUTE') })

/** The latest entry of the audit about somebody's sign-ins. */
export const latestSignIn = ({ stack: { db } }: ConsoleInUse, userId: string): Promise<Json> =>
  db('audit').where({ actor: userId, action: 'session.start' }).orderBy('id', 'desc').first()
