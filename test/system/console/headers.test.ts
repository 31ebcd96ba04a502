import { expect } from 'chai'
import { useConsole } from '../../support/console.ts'

const rightsOfOthers = (headers: Headers) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'))

const ISOLATED = { 'referrer-policy': 'no-referrer', 'cross-origin-opener-policy': 'same-origin' }
const OF_ANSWERS = {
  ...ISOLATED,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

describe('the headers of the console', () => {
  const its = useConsole()

  // decision: Pages of the console
  // decision: CSRF
  it('let no other site read, frame or cache an answer of the session API, nor learn where somebody came from, nor permit it anything when a browser asks beforehand', async () => {
    const { client } = await its.person()
    const paths = ['/console/api/session', '/console/api/nothing', client.at('/keys'), client.at('/nothing')]
    const evil = { Origin: 'https://evil.example' }
    for (const path of paths) {
      const { headers } = await client.request('GET', path, undefined, evil)
      expect(Object.fromEntries(headers), path).to.include(OF_ANSWERS)
      expect(rightsOfOthers(headers), path).to.deep.equal([])
    }
    for (const path of ['/console/api/session', client.at('/keys')]) {
      const asked = { ...evil, 'Access-Control-Request-Method': 'PATCH' }
      const { status, headers } = await client.request('OPTIONS', path, undefined, asked)
      expect(status, path).to.equal(204)
      expect(rightsOfOthers(headers), path).to.deep.equal([])
    }
  })

  // decision: Pages of the console
  it('let no other site frame or open the pages', async () => {
    const { headers } = await its.client().request('GET', '/console/')
    expect(headers.get('content-security-policy'))
      .to.include("frame-ancestors 'none'")
      .and.include("base-uri 'none'")
    expect(Object.fromEntries(headers)).to.include(ISOLATED)
  })
})
