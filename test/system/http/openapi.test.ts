import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { execa } from 'execa'
import { createDocument } from '../../../src/api/openapi/document.ts'
import { routeTable } from '../../../src/api/routes/index.ts'
import { EVENT_TYPES } from '../../../src/domain/event/catalog.ts'
import { depsWithoutDatabase } from '../../support/database.ts'
import { requiredEnv } from '../../support/environment.ts'
import type { Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { words } from '../../support/words.ts'

describe('the description of the API', () => {
  const use = useStack('quiet')
  let document: Json
  before(async () => {
    document = await (await fetch(`${use.stack.api.url}/openapi.json`)).json()
  })

  it('passes the linter without a warning', async function () {
    this.timeout(60_000)
    const file = path.join(requiredEnv('TEST_RUN_DIR'), 'openapi-as-served.json')
    await writeFile(file, JSON.stringify(document))
    const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const options = { all: true, reject: false, env } as const
    const { exitCode, all } = await execa('node_modules/.bin/redocly', ['lint', file], options)
    expect(exitCode, all).to.equal(0)
    expect(all).to.not.match(/\d+ (warning|error)/)
  })

  // decision: The build describes the API
  it('is made by the build, and equals what the routes give: it depends on no setting', () => {
    const settings = { WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8:80', WEBHOOK_RETRY_SCHEDULE: '1s' }
    const made = createDocument(routeTable(depsWithoutDatabase(settings)), use.stack.api.url)
    expect(document).to.deep.equal(JSON.parse(JSON.stringify(made)))
  })

  it('names every method that a path has: any other is 405 with the right Allow, and OPTIONS lists them', async () => {
    const tenant = await use.stack.tenant()
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

  it('is followed by the files for receivers, which the catalog names', async () => {
    const { body: catalog } = await use.tenant.request('GET', '/api-v1-event-types')
    expect(catalog.data.map(({ name }: Json) => name)).to.deep.equal([...EVENT_TYPES])
    for (const { name, schema_url: url } of catalog.data) {
      const answer = await fetch(url.replace(/^https?:\/\/[^/]+/, use.stack.api.url))
      expect(answer.headers.get('content-type')).to.equal('application/schema+json')
      expect(await answer.json()).to.include({ $id: url, title: name })
    }
    const declarations = await fetch(`${use.stack.api.url}/event-types/index.d.ts`)
    expect(await declarations.text()).to.include('export type SalesDataEvent =')
  })

  // decision: Description
  it('is shown by a page that loads everything from the api itself and needs no key', async () => {
    const page = await fetch(`${use.stack.api.url}/docs`)
    const html = await page.text()
    expect(page.status).to.equal(200)
    expect(page.headers.get('content-security-policy')).to.include("default-src 'none'")
    expect(html).to.not.match(/https?:|<script>|onload=/)
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!)
    expect(links).to.have.length.above(3)
    for (const link of links) {
      const { status, headers } = await fetch(`${use.stack.api.url}${link}`)
      expect([link, status, headers.get('x-content-type-options')]).to.deep.equal([link, 200, 'nosniff'])
    }
  })

  // decision: Description
  it('is linked from / with the probes, and every link answers without a key', async () => {
    const index = await fetch(`${use.stack.api.url}/`)
    const html = await index.text()
    expect([index.status, index.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8'])
    const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, link]) => link!)
    expect(links).to.have.members(words('/docs /openapi.json /event-types/index.d.ts /healthz /readyz'))
    for (const link of links) expect((await fetch(`${use.stack.api.url}${link}`)).status, link).to.equal(200)
  })

  it('is read only, and so are the probes', async () => {
    for (const where of ['/', '/openapi.json', '/docs', '/healthz', '/readyz', '/metrics']) {
      const answer = await fetch(`${use.stack.api.url}${where}`, { method: 'POST' })
      const allowed = answer.headers.get('allow')?.split(', ').sort()
      expect([answer.status, allowed], where).to.deep.equal([405, ['GET', 'HEAD']])
      expect(await answer.json()).to.have.nested.property('error.code', 'METHOD_NOT_ALLOWED')
      expect((await fetch(`${use.stack.api.url}${where}`, { method: 'HEAD' })).status).to.equal(200)
    }
  })
})
