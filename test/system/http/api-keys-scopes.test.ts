import { expect } from 'chai'
import { routeTable } from '../../../src/api/routes/index.ts'
import { SCOPES } from '../../../src/domain/key/scopes.ts'
import type { Deps } from '../../../src/deps/deps.ts'
import { useKeys } from '../../support/use-keys.ts'
import { useStack } from '../../support/use-stack.ts'

const WEBHOOK = '/api-v1-webhooks/whk_00000000-0000-4000-8000-000000000000'
const DELIVERY = `${WEBHOOK}/deliveries/del_00000000-0000-4000-8000-000000000000`

/** The endpoints in the specification's Endpoints section, each with its required scope. */
const WEBHOOK_ENDPOINTS: readonly (readonly [string, string, string])[] = [
  ['GET', '/api-v1-webhooks', 'read:webhooks'],
  ['GET', WEBHOOK, 'read:webhooks'],
  ['POST', '/api-v1-webhooks', 'write:webhooks'],
  ['PATCH', WEBHOOK, 'write:webhooks'],
  ['DELETE', WEBHOOK, 'write:webhooks'],
  ['GET', `${WEBHOOK}/deliveries`, 'read:webhooks'],
  ['POST', `${WEBHOOK}/test`, 'write:webhooks'],
  ['POST', `${DELIVERY}/retry`, 'write:webhooks'],
  ['POST', `${WEBHOOK}/regenerate-secret`, 'write:webhooks'],
]

/** The specification does not list the records. They have a scope for each family. */
const RECORDS = /^\/api-v1-(organizations|contacts|deals|activities|tasks)(\/|$)/

/** All other endpoints, each with its declared scope and with ids that do not exist. */
const otherEndpoints = (deps: Deps): (readonly [string, string, string])[] =>
  routeTable(deps)
    .filter(({ method, path, scope }) => {
      const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)
      const isByHand = WEBHOOK_ENDPOINTS.some((one) => one[0] === method && pattern.test(one[1]))
      return !isByHand && scope !== 'any' && scope !== 'any-write'
    })
    .map(({ method, path, scope }) => {
      const [, family] = RECORDS.exec(path) ?? []
      const own = `${method === 'GET' ? 'read' : 'write'}:${family}`
      return [method, path.replaceAll(/:\w+/g, 'nothing'), family === undefined ? scope : own]
    })

/** Scopes that name one family. test/unit/domain/key/scopes.test.ts covers read:all and similar scopes. */
const SPECIFIC = SCOPES.filter((scope) => !scope.endsWith(':all'))

describe('spec, Scopes, over HTTP', () => {
  const use = useStack('quiet')
  const its = useKeys(() => use.stack)

  /** Calls with a body that no endpoint accepts, so that a permitted call changes nothing. */
  async function check(
    secret: string,
    [method, path, required]: readonly [string, string, string],
    isGranted: boolean,
  ) {
    const sends = method === 'POST' || method === 'PATCH'
    const sent = sends && { headers: { 'content-type': 'application/json' }, body: '{"unknown":1}' }
    const answer = await its.callWith(secret, { method, path, ...sent })
    const where = `${method} ${path} (${required}): ${answer.verdict}`
    expect(answer.verdict !== '403 INSUFFICIENT_PERMISSIONS', where).to.equal(isGranted)
    if (isGranted) expect(answer.status, where).to.be.oneOf([200, 400, 404, 503])
    else expect(answer.message, where).to.match(new RegExp(`\\b${required}\\b`))
  }

  it('opens every endpoint to its scope and to admin:all alone, and its refusal of a key with all others names that scope', async () => {
    const endpoints = [...WEBHOOK_ENDPOINTS, ...otherEndpoints(its.deps)]
    // The audit concerns all families.
    expect(new Set(endpoints.map(([, , scope]) => scope))).to.deep.equal(new Set([...SPECIFIC, 'read:all']))
    for (const scope of SPECIFIC) {
      const only = await its.keyring.create({ scopes: [scope] })
      const others = await its.keyring.create({ scopes: SPECIFIC.filter((other) => other !== scope) })
      for (const endpoint of endpoints.filter(([, , required]) => required === scope)) {
        await check(only.secret, endpoint, true)
        await check(others.secret, endpoint, false)
      }
    }
    const { secret } = await its.keyring.create({ scopes: ['admin:all'] })
    for (const endpoint of endpoints) await check(secret, endpoint, true)
  })
})
