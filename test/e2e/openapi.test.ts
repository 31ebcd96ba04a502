import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { execa } from 'execa'
import { EVENT_TYPES } from '../../src/domain/event-types.js'
import { startStack, type Stack } from '../support/stack.js'
import type { Json } from '../support/tenants.js'

describe('the description of the API', () => {
  let stack: Stack
  let document: Json
  before(async () => {
    stack = await startStack({ workers: 0 })
    document = await (await fetch(`${stack.api.url}/openapi.json`)).json()
  })
  after(() => stack.stop())

  it('passes the linter without a warning', async function () {
    this.timeout(60_000)
    const dir = await mkdtemp(path.join(tmpdir(), 'webhooks-openapi-'))
    const file = path.join(dir, 'openapi.json')
    await writeFile(file, JSON.stringify(document))
    const { exitCode, all } = await execa('node_modules/.bin/redocly', ['lint', file], {
      all: true,
      reject: false,
      env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    })
    await rm(dir, { recursive: true })
    expect(exitCode, all).to.equal(0)
    expect(all).to.not.match(/\d+ (warning|error)/)
  })

  it('is OpenAPI 3.1 and describes every event under webhooks', () => {
    expect(document.openapi).to.match(/^3\.1\./)
    expect(Object.keys(document.webhooks as object)).to.deep.equal([...EVENT_TYPES, 'test.webhook'])
  })

  it('describes every endpoint of the specification with its success and its errors', () => {
    const endpoints = Object.entries(document.paths as Record<string, object>).flatMap(
      ([template, operations]) =>
        Object.keys(operations).map((method) => `${method.toUpperCase()} ${template}`),
    )
    expect(endpoints).to.include.members([
      'GET /api-v1-webhooks',
      'GET /api-v1-webhooks/{id}',
      'POST /api-v1-webhooks',
      'PATCH /api-v1-webhooks/{id}',
      'DELETE /api-v1-webhooks/{id}',
      'GET /api-v1-webhooks/{id}/deliveries',
      'POST /api-v1-webhooks/{id}/test',
      'POST /api-v1-webhooks/{id}/deliveries/{deliveryId}/retry',
      'POST /api-v1-webhooks/{id}/regenerate-secret',
      'GET /api-v1-contacts',
      'POST /api-v1-contacts',
    ])
    for (const operations of Object.values(document.paths as Record<string, Record<string, Json>>)) {
      for (const { responses } of Object.values(operations)) {
        expect(Object.keys(responses as object)).to.include.members(['401', '403', '429', '500', '503'])
      }
    }
  })

  it('names every method that a path has: any other is 405 with the right Allow, and OPTIONS lists them', async () => {
    const tenant = await stack.tenant()
    for (const [template, operations] of Object.entries(document.paths as Record<string, object>)) {
      const described = Object.keys(operations).map((name) => name.toUpperCase())
      const allowed = [...described, ...(described.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
      const path = template.replaceAll(/\{\w+\}/g, 'x')
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (described.includes(method)) continue
        const { status, headers } = await tenant.request(method, path)
        expect(status, `${method} ${path}`).to.equal(method === 'OPTIONS' ? 204 : 405)
        expect(headers.get('allow')?.split(', '), path).to.have.members(allowed)
      }
    }
  })

  it('shows the secret of a webhook in two answers alone', () => {
    const schemas = document.components.schemas as Record<string, { properties?: object }>
    const withSecret = Object.keys(schemas).filter((name) => 'secret' in (schemas[name]?.properties ?? {}))
    expect(withSecret).to.have.members(['CreatedWebhook', 'WebhookSecret'])
  })

  it('is shown by a page that loads everything from the api itself and needs no key', async () => {
    const page = await fetch(`${stack.api.url}/docs`)
    const html = await page.text()
    expect(page.status).to.equal(200)
    expect(page.headers.get('content-security-policy')).to.include("default-src 'none'")
    expect(html).to.not.match(/https?:|<script>|onload=/)
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!)
    expect(links).to.have.length.above(3)
    for (const link of links) {
      const { status, headers } = await fetch(`${stack.api.url}${link}`)
      expect([link, status, headers.get('x-content-type-options')]).to.deep.equal([link, 200, 'nosniff'])
    }
  })

  it('is read only', async () => {
    for (const where of ['/openapi.json', '/docs']) {
      const answer = await fetch(`${stack.api.url}${where}`, { method: 'POST' })
      expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, 'HEAD, GET'])
      expect((await fetch(`${stack.api.url}${where}`, { method: 'HEAD' })).status).to.equal(200)
    }
  })
})
