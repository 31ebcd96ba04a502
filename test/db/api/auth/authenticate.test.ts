import { expect } from 'chai'
import Koa from 'koa'
import type { State } from '../../../../src/api/auth/caller.ts'
import { createDenialLimit } from '../../../../src/api/auth/denial-limit.ts'
import { createFailureThrottle } from '../../../../src/api/auth/failure-throttle.ts'
import { createAuthenticate } from '../../../../src/api/auth/authenticate.ts'
import { createKeyLookups } from '../../../../src/db/system/key-lookups.ts'
import { isUnavailable } from '../../../../src/domain/database-errors.ts'
import { connect } from '../../../../src/db/connection/connection.ts'
import type { Deps } from '../../../../src/process/deps.ts'
import { hashApiKey, newApiKey } from '../../../../src/domain/key/key.ts'
import { ApiError } from '../../../../src/domain/errors.ts'
import { askOnce } from '../../../support/loopback.ts'
import { testDeps } from '../../../support/deps.ts'
import { explain, statementsOf } from '../../../support/rows-read.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('authentication', () => {
  const its = useOperations()

  /** An app with this middleware only. It answers with the caller, with the code of a refusal, or `unavailable`. */
  async function ask(parts: Deps, secret: string, headers: Record<string, string> = {}): Promise<string> {
    const app = new Koa<State>()
    app.use(async (ctx, next) => {
      ctx.state.requestId = 'req-1'
      try {
        await next()
      } catch (error) {
        ctx.body =
          error instanceof ApiError ? error.code : isUnavailable(error) ? 'unavailable' : String(error)
      }
    })
    const usage = { record: () => undefined }
    const countFailure = createFailureThrottle(parts)
    app.use(createAuthenticate(parts, { usage, limitDenial: createDenialLimit(0), countFailure }))
    app.use((ctx) => {
      const { caller } = ctx.state
      ctx.body = JSON.stringify({ tenant: caller?.tenant, address: caller?.address, actor: caller?.actor })
    })
    const sent = { authorization: `Bearer ${secret}`, ...headers }
    return (await askOnce(app.callback(), { headers: sent })).text()
  }

  const queriesOf = (work: () => Promise<unknown>) => statementsOf(its.db, work)

  it('costs one query for a key that could exist, and none for a text that cannot be one', async () => {
    const { secret } = await its.keyring.create({ userId: await its.keyring.user() })
    expect(await queriesOf(() => ask(its.deps, secret))).to.have.length(1)
    expect(await queriesOf(() => ask(its.deps, newApiKey('salesdata', 'live')))).to.have.length(1)
    expect(await queriesOf(() => ask(its.deps, 'x'))).to.have.length(0)
  })

  it('reads one row of each table by an index, however many keys there are', async () => {
    const userId = await its.keyring.user()
    const { secret } = await its.keyring.create({ userId })
    for (let key = 0; key < 30; key++) await its.keyring.create({ userId })
    const [statement = ''] = await queriesOf(() => ask(its.deps, secret))
    const plan = await explain(its.db, statement, [hashApiKey(secret)])
    expect(plan).to.have.length(3)
    for (const { type, rows } of plan) {
      expect(type).to.be.oneOf(['const', 'eq_ref'])
      expect(Number(rows)).to.equal(1)
    }
  })

  // decision: Key lookups share queries
  it('reads by an index as many keys as requests arrive together, and no others', async () => {
    const { db } = its.database
    const secrets: string[] = []
    for (let key = 0; key < 60; key++) secrets.push((await its.keyring.create()).secret)
    await db.raw('ANALYZE TABLE api_keys')
    const hashes = secrets.slice(0, 4).map(hashApiKey)
    const lookups = createKeyLookups(db)
    const statements = await queriesOf(() => Promise.all(hashes.map((hash) => lookups.find(hash))))
    expect(statements).to.have.length(1)
    const [keys] = (await explain(db, statements[0]!, hashes)).filter(({ table }) => table === 'k')
    expect([keys?.type, Number(keys?.rows)]).to.deep.equal(['range', 4])
  })

  it('sets the caller: tenant, address, and the key as the actor of the audit', async () => {
    const { id, secret } = await its.keyring.create({}, 'test')
    expect(JSON.parse(await ask(its.deps, secret, { 'x-forwarded-for': '203.0.113.1' }))).to.deep.equal({
      tenant: { companyId: its.keyring.companyId, environment: 'test' },
      address: '127.0.0.1',
      actor: { id, ip: '127.0.0.1', requestId: 'req-1' },
    })
  })

  it('counts results by the check that failed, without a label that names a key', async () => {
    const own = testDeps(its.database)
    const { secret } = await its.keyring.create()
    for (const text of [secret, 'x', newApiKey('salesdata', 'live')]) await ask(own, text)
    const { values } = await own.metrics.authentications.get()
    expect(Object.fromEntries(values.map(({ labels, value }) => [labels.result, value]))).to.deep.equal({
      accepted: 1,
      'key-well-formed': 1,
      'key-known': 1,
    })
  })

  it('passes on the error of a database that is away, and never lets such a request pass', async () => {
    const away = connect('mysql://nobody:nothing@127.0.0.1:1/none')
    expect(await ask({ ...its.deps, db: away }, newApiKey('salesdata', 'live'))).to.equal('unavailable')
    await away.destroy()
  })
})
