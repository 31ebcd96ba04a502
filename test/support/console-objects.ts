import { expect } from 'chai'
import type { ConsoleClient } from './console.js'
import type { Stack } from './stack.js'
import type { Json } from './tenants.js'

/** Makes something by the session API, and gives what the answer says of it. */
export async function make(client: ConsoleClient, path: string, body: object): Promise<Json> {
  const answer = await client.call('POST', path, body)
  expect(answer.status).to.be.oneOf([200, 201])
  return answer.body.data
}

/** Makes a webhook to a path of the receiver that answers 500 there, and gives its id. The path is its name. */
export async function makeFailingWebhook(
  { receiver }: Stack,
  client: ConsoleClient,
  name: string,
): Promise<string> {
  const path = `/${name}`
  const body = { name, url: receiver.url(path), events: ['contact.created'], max_retries: 0 }
  const { id, secret } = await make(client, '/webhooks', body)
  receiver.trust(path, secret)
  receiver.behave(path, { status: 500 })
  return id
}
