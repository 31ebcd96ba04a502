import { expect } from 'chai'
import { examplesOf, operationsOf } from '../../support/described.ts'
import type { Json, TestTenant } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook } from '../../support/webhooks.ts'

describe('the examples of /openapi.json', () => {
  const use = useStack()
  let document: Json
  before(async () => {
    document = await (await fetch(`${use.stack.api.url}/openapi.json`)).json()
  })

  const operations = () => operationsOf(document)

  /** The path with the ids of objects made for it, in a company of their own. */
  async function prepare(template: string): Promise<{ tenant: TestTenant; path: string }> {
    const tenant = await use.stack.tenant()
    return { tenant, path: await pathOf(template, tenant) }
  }

  async function pathOf(template: string, tenant: TestTenant): Promise<string> {
    if (!template.includes('{')) return template
    const [collection = ''] = template.split('/{')
    if (collection !== '/api-v1-webhooks')
      return template.replace('{id}', await createRecord(collection, tenant))
    const webhook = await createTestWebhook(use.stack, tenant, { max_retries: 0 })
    const path = template.replace('{id}', webhook.id)
    if (path.includes('{recoveryId}')) {
      const [body] = examplesOf(document.paths[`${collection}/{id}/recover`].post)
      const { data } = (await tenant.request('POST', `${collection}/${webhook.id}/recover`, body)).body
      return path.replace('{recoveryId}', data.id as string)
    }
    if (!path.includes('{deliveryId}')) return path
    webhook.behave({ status: 500 })
    await createContact(tenant)
    return path.replace('{deliveryId}', (await webhook.delivery('failed')).id as string)
  }

  async function createRecord(collection: string, tenant: TestTenant): Promise<string> {
    const [body] = examplesOf(document.paths[collection].post)
    return (await tenant.request('POST', collection, body)).body.data.id as string
  }

  // decision: What the description promises
  it('are there for every request with a body, and succeed when they are sent', async function () {
    this.timeout(60_000)
    let sent = 0
    for (const operation of operations()) {
      const { method, template } = operation
      const examples = examplesOf(operation)
      if (operation.requestBody?.required === true)
        expect(examples, operation.operationId).to.not.have.length(0)
      for (const body of examples) {
        const { tenant, path } = await prepare(template)
        const answer = await tenant.request(method, path, body)
        const what = `${operation.operationId} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`
        expect(answer.status, what).to.be.within(200, 299)
        sent++
      }
    }
    expect(sent).to.be.above(15)
  })

  it('succeed as headers and as defaults of a query', async () => {
    const { IdempotencyKey } = document.components.parameters
    for (const key of IdempotencyKey.schema.examples as string[]) {
      const headers = { 'Idempotency-Key': key }
      const answer = await use.tenant.request('POST', '/api-v1-contacts', { name: 'a' }, headers)
      expect(answer.status).to.equal(201)
    }
    for (const { method, template, parameters = [] } of operations()) {
      const defaults = parameters.filter(({ schema }) => schema?.default !== undefined)
      const query = new URLSearchParams(
        defaults.map(({ name, schema }) => [name, String(schema.default)] as never),
      )
      if (defaults.length === 0) continue
      const { tenant, path } = await prepare(template)
      expect((await tenant.request(method, `${path}?${query.toString()}`)).status).to.equal(200)
    }
  })

  it('name the defaults that the api applies to fields that a creation leaves out', async () => {
    const schemas = document.components.schemas as Record<string, { properties: Record<string, Json> }>
    for (const operation of operations()) {
      const { template } = operation
      const $ref = operation.requestBody?.content['application/json'].schema.$ref as string | undefined
      const { properties = {} } = schemas[$ref?.split('/').at(-1) ?? ''] ?? {}
      const defaults = Object.entries(properties).filter(([, schema]) => 'default' in schema)
      if (!operation.responses['201'] || defaults.length === 0) continue
      const [example = {}] = examplesOf(operation)
      const required = (schemas[$ref!.split('/').at(-1)!] as Json).required as string[]
      const body = Object.fromEntries(Object.entries(example).filter(([name]) => required.includes(name)))
      const { data } = (await use.tenant.request('POST', template, body)).body
      for (const [name, schema] of defaults) {
        // What is off by default, the answer of a creation may leave out.
        const shown = data[name] ?? (schema.type === 'boolean' ? false : null)
        expect(shown, `${template} ${name}`).to.deep.equal(schema.default)
      }
    }
  })
})
