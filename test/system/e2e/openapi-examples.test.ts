import { expect } from 'chai'
import { examplesOf, operationsOf } from '../../support/described.ts'
import { type Json, type TestTenant, createContact, createTestWebhook } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'

describe('the examples of /openapi.json', () => {
  const use = useStack()
  let document: Json
  before(async () => void (document = await (await fetch(`${use.stack.api.url}/openapi.json`)).json()))

  const operations = () => operationsOf(document)

  /** The path with the ids of new objects in a separate company. */
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
})
