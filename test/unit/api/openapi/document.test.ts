import { expect } from 'chai'
import { createDocument } from '../../../../src/api/openapi/document.ts'
import { routeTable } from '../../../../src/api/routes/index.ts'
import { EVENT_TYPES } from '../../../../src/domain/event/catalog.ts'
import { depsWithoutDatabase } from '../../../support/database.ts'
import { operationsOf } from '../../../support/described.ts'
import type { Json } from '../../../support/tenants.ts'

const responsesOf = (document: Json): Json[] => operationsOf(document).map(({ responses }) => responses)

/** Every answer by its status, including shared answers. */
const allResponses = (document: Json): [string, Json][] =>
  [...responsesOf(document), document.components.responses]
    .flatMap((responses) => Object.entries(responses as Record<string, Json>))
    .filter(([, response]) => response.$ref === undefined)
    .map(([name, response]) => [name.replace('Error', ''), response])

/** test/system/http/openapi.test.ts tests that the api serves the same document. */
describe('the description of the API', () => {
  const document: Json = JSON.parse(
    JSON.stringify(createDocument(routeTable(depsWithoutDatabase()), 'https://api.example.com')),
  )

  it('is OpenAPI 3.1 and describes every event under webhooks', () => {
    expect(document.openapi).to.match(/^3\.1\./)
    expect(Object.keys(document.webhooks as object)).to.deep.equal([...EVENT_TYPES, 'test.webhook'])
  })

  it('shows the secret of a webhook in two answers alone', () => {
    const schemas = document.components.schemas as Record<string, { properties?: object }>
    const withSecret = Object.keys(schemas).filter((name) => 'secret' in (schemas[name]?.properties ?? {}))
    expect(withSecret).to.have.members(['CreatedWebhook', 'WebhookSecret', 'WebhookChange'])
    expect((schemas['WebhookChange']!.properties as Json).secret.writeOnly).to.equal(true)
  })

  // decision: Open answers
  it('closes what is sent and leaves what is answered open', () => {
    const { schemas, responses } = document.components as Record<string, Record<string, Json>>
    const isSent = (name: string) => /(Input|Change)$/.test(name) && name !== 'PublishInput'
    const [sent, answered] = [true, false].map((wanted) =>
      Object.keys(schemas!).filter((name) => isSent(name) === wanted),
    )
    for (const name of sent!) expect(schemas![name].additionalProperties, name).to.equal(false)
    const answers = [answered!.map((name) => schemas![name]), responses, responsesOf(document)]
    expect(answered).to.include.members(['Webhook', 'Delivery', 'DeliveryDetail', 'Contact', 'Pagination'])
    expect(JSON.stringify(answers)).to.not.include('"additionalProperties":false')
  })

  it('says what every field that can be sent is for', () => {
    const schemas = document.components.schemas as Record<string, { properties: Record<string, Json> }>
    for (const [name, { properties }] of Object.entries(schemas)) {
      if (!/(Input|Change)$/.test(name) || name === 'PublishInput') continue
      const silent = Object.keys(properties).filter((field) => !properties[field].description)
      expect(silent, name).to.deep.equal([])
    }
    for (const { operationId, parameters = [] } of operationsOf(document))
      for (const { $ref, description } of parameters)
        expect($ref ?? description, operationId).to.be.a('string')
  })

  it('names the headers of answers: quota, request id, version, repeats and when to come back', () => {
    for (const [status, { headers }] of allResponses(document)) {
      expect(Object.keys((headers ?? {}) as object), status).to.include.members(['X-Request-Id'])
      if (status.startsWith('2')) expect(headers).to.include.keys('RateLimit', 'RateLimit-Policy')
      if (['404', '409', '429'].includes(status)) expect(headers).to.include.keys('RateLimit')
      if (['429', '503'].includes(status)) expect(headers).to.include.keys('Retry-After')
    }
    const webhook = document.paths['/api-v1-webhooks/{id}']
    expect(webhook.get.responses['200'].headers).to.include.keys('ETag')
    expect(webhook.patch.parameters).to.deep.include({ $ref: '#/components/parameters/IfMatch' })
    const { responses } = document.paths['/api-v1-contacts'].post
    expect(responses['201'].headers).to.include.keys('Idempotent-Replayed')
  })

  // decision: What generators of clients make of the description
  it('gives generators one type of error, tags of their own for received events, and open objects', () => {
    const { schemas, responses } = document.components as Record<string, Record<string, Json>>
    const schemasOf = Object.values(responses!).map(({ content }) => content['application/json'].schema)
    expect(schemasOf).to.deep.equal(schemasOf.map(() => ({ $ref: '#/components/schemas/ApiError' })))
    const tagsOf = (part: object) => operationsOf({ paths: part }).flatMap(({ tags }) => tags)
    expect(tagsOf(document.paths as object)).to.not.include.members(tagsOf(document.webhooks as object))
    expect(schemas!['ContactInput'].properties.custom).to.include({ additionalProperties: true })
    const text = JSON.stringify(document.paths)
    expect(text).to.not.include('"maxProperties":0').and.not.include('"enum":[true]')
    expect(Object.keys(schemas!).filter((name) => /^New[A-Z]/.test(name))).to.deep.equal([])
  })
})
