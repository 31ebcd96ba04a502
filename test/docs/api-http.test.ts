import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { AnyRoute } from '../../src/api/routing/route.ts'
import { routeTable } from '../../src/api/routes/index.ts'
import { depsWithoutDatabase } from '../support/database.ts'
import { ROOT } from './documents.ts'

type HttpRequest = ReturnType<typeof readRequest>

const TEXT = readFileSync(path.join(ROOT, 'docs/api.http'), 'utf8')
const FILES = ['/event-types/index.d.ts', '/event-types/deal.stage_changed.schema.json']
const OPEN_PATHS = [...FILES, '/', '/openapi.json', '/docs', '/healthz', '/readyz', '/metrics']
// The test reads only the descriptions of the routes, so nothing queries the database.
const ROUTES = routeTable(depsWithoutDatabase())

/** Requests begin with `###` and a title; comments, request line, headers, an empty line and the body follow. */
const REQUESTS = TEXT.split(/^### /m).slice(1).map(readRequest)

/** One request of the file. `url` has a word for each variable. `uses` names the requests that it depends on. */
function readRequest(text: string) {
  const [head = '', ...rest] = text.trim().split('\n\n')
  const [title = '', ...lines] = head.split('\n')
  const [requestLine = '', ...headerLines] = lines.filter((line) => !line.startsWith('#'))
  const [method = '', target = ''] = requestLine.split(' ')
  const filled = target.replace('{{host}}', 'http://host').replaceAll(/\{\{.+?\}\}/g, 'filled')
  return {
    title,
    name: /^# @name (\w+)$/m.exec(head)?.[1],
    method,
    url: new URL(filled),
    headers: Object.fromEntries(headerLines.map((line) => line.split(': ') as [string, string])),
    body: rest.length === 0 ? undefined : (JSON.parse(rest.join('\n\n')) as unknown),
    uses: [...text.matchAll(/\{\{(\w+)\.response\./g)].map(([, name = '']) => name),
  }
}

const isFor = ({ method, url }: HttpRequest, route: AnyRoute): boolean =>
  method === route.method && new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(url.pathname)

describe('docs/api.http', () => {
  it('has a request for every endpoint, and none for anything else', () => {
    const missing = ROUTES.filter((route) => !REQUESTS.some((request) => isFor(request, route)))
    expect(missing.map(({ method, path: pattern }) => `${method} ${pattern}`)).to.deep.equal([])
    const others = REQUESTS.filter((request) => !ROUTES.some((route) => isFor(request, route)))
    expect(others.map(({ url }) => url.pathname)).to.have.members(OPEN_PATHS)
  })

  for (const route of ROUTES)
    it(`asks ${route.method} ${route.path} for what it takes`, () => {
      for (const { title, url, headers, body } of REQUESTS.filter((request) => isFor(request, route))) {
        expect(headers, title).to.include({ Authorization: 'Bearer {{key}}' })
        expect(headers['Content-Type'], title).to.equal(body && 'application/json')
        if (!route.isBodyOptional) expect(body !== undefined, title).to.equal(route.body !== undefined)
        expect(route.body?.validate(body, { convert: false }).error, title).to.equal(undefined)
        const query = Object.fromEntries(url.searchParams)
        expect(route.query?.validate(query, { convert: false }).error, title).to.equal(undefined)
        if (route.scope !== 'any' && route.scope !== 'any-write') expect(title).to.include(`(${route.scope})`)
      }
    })

  it('uses the answers of requests that come before, and publishes an event before it lists, retries and resends a delivery', () => {
    const known = new Set<string>()
    for (const { title, name, uses } of REQUESTS) {
      expect([...known], title).to.include.members(uses)
      if (name !== undefined) known.add(name)
    }
    expect(known).to.have.property('size').above(5)
    const paths = REQUESTS.map(({ method, url }) => `${method} ${url.pathname.split('/').at(-1)}`)
    const wanted = ['POST api-v1-events', 'GET deliveries', 'POST retry', 'POST resend']
    const places = wanted.map((request) => paths.indexOf(request))
    expect(places[0]).to.be.at.least(0)
    expect(places).to.deep.equal(places.toSorted((one, other) => one - other))
  })
})
