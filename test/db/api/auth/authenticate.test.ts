// Also on MySQL with direct attempts: its limits are SQL of a library and ours.
import { expect } from 'chai'
import Koa from 'koa'
import type { State } from '../../../../src/api/auth/caller.ts'
import { createDenialLimit } from '../../../../src/api/middleware/rate-limit.ts'
import { createFailureThrottle, type FailureThrottle } from '../../../../src/api/auth/failure-throttle.ts'
import { createAuthenticate } from '../../../../src/api/auth/authenticate.ts'
import { createKeyLookups } from '../../../../src/db/key/rows.ts'
import { isUnavailable } from '../../../../src/db/connection/errors.ts'
import { connect } from '../../../../src/db/connection/connection.ts'
import type { SystemDeps } from '../../../../src/deps/deps.ts'
import { hashApiKey, newApiKey } from '../../../../src/domain/key/key.ts'
import { ApiError } from '../../../../src/domain/errors.ts'
import { askOnce } from '../../../support/loopback.ts'
import { authWithoutUsage, testDeps } from '../../../support/database.ts'
import { until, untilIs } from '../../../support/poll.ts'
import { explain, statementsOf } from '../../../support/rows-read.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('authentication', () => {
  const its = useOperations()

  /** An app with only this middleware. It answers `accepted`, the code of a refusal, or `unavailable`. */
  async function ask(parts: SystemDeps, secret: string): Promise<string> {
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
    app.use(createAuthenticate(parts, { ...authWithoutUsage(parts), limitDenial: createDenialLimit(0) }))
    app.use((ctx) => void (ctx.body = 'accepted'))
    return (await askOnce(app.callback(), { headers: { authorization: `Bearer ${secret}` } })).text()
  }

  const queriesOf = (work: () => Promise<unknown>) => statementsOf(its.db, work)

  it('costs one query for a key that could exist, none for a text that cannot be one, and counts results by the check that failed', async () => {
    const { secret } = await its.keyring.create({ userId: await its.keyring.user() })
    expect(await queriesOf(() => ask(its.deps, secret))).to.have.length(1)
    expect(await queriesOf(() => ask(its.deps, newApiKey('salesdata', 'live')))).to.have.length(1)
    expect(await queriesOf(() => ask(its.deps, 'x'))).to.have.length(0)
    const own = its.depsWith()
    for (const text of [secret, 'x', newApiKey('salesdata', 'live')]) await ask(own, text)
    const { values } = await own.metrics.authentications.get()
    const counted = Object.fromEntries(values.map(({ labels, value }) => [labels.result, value]))
    expect(counted).to.deep.equal({ accepted: 1, 'key-well-formed': 1, 'key-known': 1 })
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

  it('passes on the error of a database that is away, and never lets such a request pass', async () => {
    const away = connect('mysql://nobody:nothing@127.0.0.1:1/none')
    expect(await ask({ ...its.deps, db: away }, newApiKey('salesdata', 'live'))).to.equal('unavailable')
    await away.destroy()
  })
})

// decision: Rate limits
describe('failed authentications of an address', () => {
  const its = useOperations()
  const LIMIT = 20
  const throttle = (db = its.db) =>
    createFailureThrottle(testDeps({ ...its.database, db }, { AUTH_FAILURES_PER_MINUTE: String(LIMIT) }))
  /** How many failures in sequence pass before a refusal, with time between them for news from other processes. */
  async function passedBy(fail: FailureThrottle, address: string): Promise<number> {
    let passed = 0
    await until(
      () => fail(address),
      (refusal) => refusal !== undefined || ++passed === 0,
    )
    return passed
  }

  it('are limited over all processes, except for a tenth of the limit in each that heard of nothing', async () => {
    const [one, other] = [throttle(), throttle()]
    for (let failures = 0; failures < LIMIT; failures++) expect(await one('2001:db8::1')).to.equal(undefined)
    expect((await one('2001:db8::2'))?.headers).to.include({ Connection: 'close' })
    const reported = async () => (await its.db('rate_limits').first('points'))?.points
    await untilIs(reported, LIMIT)
    const tenth = LIMIT / 10
    for (let failures = 0; failures < tenth; failures++)
      expect(await other('2001:db8::3')).to.equal(undefined)
    await untilIs(reported, LIMIT + tenth)
    expect(await passedBy(other, '2001:db8::3')).to.be.within(0, 1)
    expect(await other('2001:db8:0:1::1')).to.equal(undefined)
  })

  it('are limited in each process while the database is away', async () => {
    const away = connect('mysql://nobody:nothing@127.0.0.1:1/none')
    const fail = throttle(away)
    for (let failures = 0; failures < LIMIT; failures++) expect(await fail('10.0.0.1')).to.equal(undefined)
    expect((await fail('10.0.0.1'))?.code).to.equal('RATE_LIMITED')
    await away.destroy()
  })

  it('cost the database 20 writes a second at most, from however many addresses', async () => {
    const fail = throttle()
    const rows = async () => (await its.db('rate_limits').pluck('key')).length
    const [before, startedMs] = [await rows(), performance.now()]
    const flood = Array.from({ length: 1_000 }, (_, address) => `10.${address >> 8}.${address & 255}.1`)
    for (let failures = 0; failures < LIMIT; failures++) await Promise.all(flood.map(fail))
    const written = await until(rows, (count) => count >= before + 10)
    expect(written - before).to.be.below(((performance.now() - startedMs) / 1_000) * 20 + 2)
  })
})
