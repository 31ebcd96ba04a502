import { createServer, type Server } from 'node:http'
import { expect } from 'chai'
import { createFailureThrottle } from '../../../src/api/auth/failure-throttle.ts'
import { createApp } from '../../../src/api/app.ts'
import { routeTable } from '../../../src/api/routes/index.ts'
import { createConsoleParts, createSignInParts } from '../../../src/console/address-route.ts'
import { createConsole } from '../../../src/console/mount.ts'
import { accountRoutes } from '../../../src/console/routes/account.ts'
import { companyRoutes } from '../../../src/console/routes/index.ts'
import { sessionRoutes } from '../../../src/console/routes/session.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { newId } from '../../../src/domain/ids.ts'
import { COST_CLASSES, CostLimits, type CostClass } from '../../../src/operations/cost-limits.ts'
import { createWebhook } from '../../../src/operations/webhook/create.ts'
import { connect } from '../../../src/db/connection/connection.ts'
import { insertManyDeliveries } from '../../support/many-rows.ts'
import { rowsRead } from '../../support/rows-read.ts'
import { createUser } from '../../../src/operations/user/members.ts'
import type { SystemDeps } from '../../../src/deps/deps.ts'
import { answerHealth, createReadiness, HEALTH_PATHS } from '../../../src/process/health.ts'
import { ConsoleClient, PASSWORD } from '../../support/console.ts'
import { useDatabase, authWithoutUsage, testDeps } from '../../support/database.ts'
import { listenOnLoopback } from '../../support/loopback.ts'
import { webhookInput } from '../../support/use-operations.ts'
import { createTestTenant, type TestTenant } from '../../support/tenants.ts'
import { words } from '../../support/words.ts'

/** Arguments for a route that match no object and no field, so that the call changes nothing. */
type Probe = Readonly<{ name: string; cost: CostClass; group: string; ask: () => Ask }>
type Ask = Promise<{ readonly status: number; readonly headers: Headers }>

const CLASSES = Object.keys(COST_CLASSES) as CostClass[]

// decision: Cost classes
describe('the cost class of a route', function () {
  this.timeout(60_000)
  const its = useDatabase()
  // Waiting times are short, so that the tests see refusals soon.
  const limits = new CostLimits(
    Object.fromEntries(
      CLASSES.map((name) => [name, { ...COST_CLASSES[name], waiting: 1, waitMs: 5 }]),
    ) as unknown as typeof COST_CLASSES,
  )
  let server: Server
  let deps: SystemDeps
  let probes: Probe[]
  let company: TestTenant
  let neighbour: TestTenant

  before(async () => {
    deps = testDeps(its, { DENIED_CALLS_PER_MINUTE: '0' })
    server = createServer(appOn(deps).callback())
    const { url } = await listenOnLoopback(server)
    company = await createTestTenant(its.db, url)
    neighbour = await createTestTenant(its.db, url)
    probes = await probesAt(url)
  })
  after(() => server.close().closeAllConnections())

  function appOn(given: SystemDeps) {
    const { registry } = given.metrics
    const parts = { readiness: createReadiness({}), registry, metricsToken: undefined }
    return createApp(given, {
      auth: authWithoutUsage(given),
      health: { paths: HEALTH_PATHS, answer: (request) => answerHealth(request, parts) },
      createConsole: (routes, shared) =>
        createConsole(given, createSignInParts(given), routes, shared, 'no build'),
      costLimits: limits,
    })
  }

  async function probesAt(url: string): Promise<Probe[]> {
    const { companyId } = company.tenant
    const email = 'admin@example.com'
    const person = { email, name: 'Admin', password: PASSWORD, role: 'admin' as const }
    await createUser(deps, companyId, COMMAND_LINE, person)
    const client = new ConsoleClient(url)
    await client.signIn(email)
    const pathOf = (path: string) =>
      path
        .replace(':companyId', companyId)
        .replace(':environment', 'live')
        .replaceAll(/:\w+/g, newId('webhook'))
    const table = routeTable(deps)
    const parts = createConsoleParts(deps, createSignInParts(deps), createFailureThrottle(deps))
    type Route = { readonly method: string; readonly path: string; readonly cost: CostClass }
    const probesOf = (by: Pick<ConsoleClient, 'request'>, group: string, routes: readonly Route[]): Probe[] =>
      routes.map(({ method, path, cost }) => ({
        name: `${method} ${path}`,
        cost,
        group,
        ask: () => by.request(method, pathOf(path), method === 'GET' ? undefined : {}),
      }))
    const searches = table.flatMap(({ method, path, searchCost: cost }) =>
      cost === undefined ? [] : [{ method, path: `${path}?q=abc`, cost }],
    )
    const ofCompany = companyRoutes(deps, table).map(({ route }) => route)
    const paths = words('/healthz /readyz /metrics / /docs /openapi.json /console/')
    const open = paths.map((path): Route => ({ method: 'GET', path, cost: 'cheap' }))
    return [
      ...probesOf(company, companyId, [...table, ...searches]),
      ...probesOf(client, `console of ${companyId}`, ofCompany),
      ...probesOf(client, '127.0.0.1', [...sessionRoutes(parts), ...accountRoutes(parts), ...open]),
    ]
  }

  /** Fills the class with work of these groups until `end` is called. */
  function fill(cost: CostClass, groups: readonly string[]): { end: () => Promise<unknown> } {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const works = groups.flatMap((group) =>
      Array.from({ length: COST_CLASSES[cost].atOnce }, () => limits.run(cost, group, () => promise)),
    )
    return { end: () => (resolve(undefined), Promise.allSettled(works)) }
  }

  /** Returns the status, such as `429`, or `429 without Retry-After` when the header is missing. */
  const refusalOf = ({ status, headers }: Awaited<Ask>) =>
    Number(headers.get('retry-after')) > 0 ? String(status) : `${status} without Retry-After`

  const isServed = async (ask: () => Ask) => ![429, 503].includes((await ask()).status)

  it('is enforced: beyond it every route answers 429 with Retry-After, and then serves again', async () => {
    expect(probes).to.have.length.above(70)
    for (const { name, cost, group, ask } of probes) {
      const filled = fill(cost, [group])
      const refused = await ask()
      await filled.end()
      expect(refusalOf(refused), name).to.equal('429')
      // Skip sign-in and sign-out, which end the others' session, and the console's pages, which need a build.
      if (!/\/console\/(api\/session|$)/.test(name)) expect(await isServed(ask), name).to.equal(true)
    }
    const filled = fill('cheap', [company.tenant.companyId])
    expect((await neighbour.request('GET', '/api-v1-event-types')).status, 'a neighbour').to.equal(200)
    await filled.end()
  })

  it('is enforced for all companies together: 503 with Retry-After, while other classes go on', async () => {
    for (const cost of CLASSES) {
      const { atOnce, atOnceInAll } = COST_CLASSES[cost]
      const companies = Array.from({ length: atOnceInAll / atOnce }, (_, n) => `company ${n}`)
      const filled = fill(cost, companies)
      const { ask } = probes.find((probe) => probe.cost === cost && probe.group === company.tenant.companyId)!
      const other = cost === 'cheap' ? '/api-v1-contacts' : '/api-v1-event-types'
      const [refused, others] = await Promise.all([ask(), neighbour.request('GET', other)])
      await filled.end()
      expect(refusalOf(refused), cost).to.equal('503')
      expect(others.status, cost).to.equal(200)
    }
  })

  it('holds for a large tenant: no route that reads reads more rows or answers more bytes', async () => {
    const large = await createTestTenant(its.db, '')
    const { tenant, key } = large
    const { webhook } = await createWebhook(deps, tenant, COMMAND_LINE, webhookInput())
    const webhookId = webhook.id
    // More rows than any class except that of reports may read.
    await insertManyDeliveries(its.db, 22_000, { tenant, webhookId }, 'failed')
    const { id, event_id } = await its.db('deliveries').where({ webhook_id: webhookId }).first()
    // Use one connection, so that the session's count of rows is the request's count.
    const db = connect(its.url, { poolSize: 1 })
    const app = createServer(appOn({ ...deps, db, batchDb: db }).callback())
    const { url } = await listenOnLoopback(app)
    const reading = routeTable(deps)
      .filter(({ method }) => method === 'GET')
      .flatMap((route) => [
        { ...route, query: route.path.endsWith('deliveries') ? '?status=success' : '' },
        ...(route.searchCost ? [{ ...route, cost: route.searchCost, query: '?q=none' }] : []),
      ])
    try {
      for (const route of reading) {
        const path = route.path
          .replace('events/:id', `events/${event_id}`)
          .replace(':deliveryId', id)
          .replace(':id', webhookId)
          .concat(route.query)
        const before = await rowsRead(db)
        const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })
        const { byteLength } = await answer.arrayBuffer()
        const { rows, bytes } = COST_CLASSES[route.cost]
        expect((await rowsRead(db)) - before, `rows of ${path}`).to.be.below(rows)
        expect(byteLength, `bytes of ${path}`).to.be.below(bytes)
        expect(answer.status, path).to.be.oneOf([200, 404])
      }
    } finally {
      app.close().closeAllConnections()
      await db.destroy()
    }
  })
})
