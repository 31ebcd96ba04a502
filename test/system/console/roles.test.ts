import { expect } from 'chai'
import { routeTable } from '../../../src/api/routes/index.ts'
import { companyRoutes } from '../../../src/console/routes/index.ts'
import { COMPANY_PATH, type ConsoleRoute } from '../../../src/console/route.ts'
import { newId } from '../../../src/domain/ids.ts'
import { permits } from '../../../src/domain/user/roles.ts'
import { USER_ROLES } from '../../../src/domain/user/user.ts'
import { useConsole, verdictOf, type ConsoleClient } from '../../support/console.ts'

const KINDS: Record<string, Parameters<typeof newId>[0]> = {
  id: 'webhook',
  deliveryId: 'delivery',
  recoveryId: 'recovery',
  keyId: 'apiKey',
  userId: 'user',
  filterId: 'savedFilter',
  invitationId: 'accessLink',
  channelId: 'noticeChannel',
}

/** The path of a route with these ids, and with ids that do not exist. */
const pathOf = ({ route }: ConsoleRoute, ids: Record<string, string> = {}): string =>
  route.path
    .slice(COMPANY_PATH.length)
    .replaceAll(/:(\w+)/g, (whole, name: string) => ids[name] ?? (KINDS[name] ? newId(KINDS[name]) : whole))

describe('every endpoint of the console', () => {
  const its = useConsole()

  const routes = () => companyRoutes(its.deps, routeTable(its.deps))
  const bodyOf = ({ route }: ConsoleRoute) => (route.body ? {} : undefined)
  const call = (client: ConsoleClient, each: ConsoleRoute) =>
    client.call(each.route.method, pathOf(each), bodyOf(each))
  const nameOf = ({ route }: ConsoleRoute) => `${route.method} ${route.path}`

  it('is refused to a role exactly where the table does not permit its action', async () => {
    expect(routes()).to.have.length.above(30)
    for (const role of USER_ROLES) {
      const { client } = await its.person(role)
      for (const each of routes()) {
        const isRefused = verdictOf(await call(client, each)) === '403 INSUFFICIENT_PERMISSIONS'
        expect(isRefused, `${role} ${nameOf(each)}`).to.equal(!permits(role, each.action))
      }
    }
  })

  // decision: Who sees what
  it('answers about another company as about one that is not there', async () => {
    const { client } = await its.person()
    const mine = client.companyId
    const { client: other } = await its.person('admin')
    for (const each of routes()) {
      const answers = []
      for (const [companyId, environment] of [
        [newId('company'), 'live'],
        ['com_1', 'live'],
        [mine, 'production'],
      ] as const) {
        const path = `/console/api/companies/${companyId}/${environment}${pathOf(each)}`
        answers.push(await client.request(each.route.method, path, bodyOf(each)))
      }
      expect(new Set(answers.map(verdictOf)), nameOf(each)).to.deep.equal(new Set(['404 NOT_FOUND']))
      expect(new Set(answers.map(({ body }) => JSON.stringify(body)))).to.have.property('size', 1)
    }
    expect(other.companyId).to.equal(mine)
  })

  it('needs a session, and the token where it may change something', async () => {
    const { client } = await its.person()
    const nobody = its.client()
    nobody.companyId = client.companyId
    for (const each of routes()) {
      expect(verdictOf(await call(nobody, each)), nameOf(each)).to.equal('401 UNAUTHORIZED')
      if (each.route.method === 'GET') continue
      const answer = await client.call(each.route.method, pathOf(each), bodyOf(each), { 'X-CSRF-Token': '' })
      expect(verdictOf(answer), nameOf(each)).to.equal('403 CSRF_TOKEN_INVALID')
    }
  })

  // decision: Who sees what
  it('finds no object of another company under the path of one’s own', async () => {
    const { client: other } = await its.person()
    const key = (await other.call('POST', '/keys', { name: 'a', scopes: ['read:all'], type: 'Shared' })).body
    const fields = { name: 'a', url: 'https://example.com/', events: ['contact.created'] }
    const hook = await other.call('POST', '/webhooks', fields)
    const { id: theirs } = (await other.session()).body.data.user
    const { companyId } = await its.foreign()
    const { client } = await its.person('admin', { companyId })
    const objects = { keyId: key.data.id, id: hook.body.data.id, userId: theirs }
    const about = routes().filter(
      ({ route: { path } }) => /:(keyId|id|userId)\b/.test(path) && !path.includes('/events/'),
    )
    expect(about).to.have.length.above(15)
    for (const each of about) {
      const path = pathOf(each, objects)
      expect(await client.verdict(each.route.method, path, bodyOf(each)), path).to.equal('404 NOT_FOUND')
    }
  })
})
