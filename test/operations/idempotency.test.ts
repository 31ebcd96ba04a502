import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { newId } from '../../src/domain/ids.js'
import { runOnce } from '../../src/operations/idempotency.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { testDeps } from '../support/deps.js'
import { until } from '../support/poll.js'

describe('work that is done once', () => {
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase()
  })
  after(() => database.drop())

  const newRequest = () => ({
    scope: randomBytes(32),
    companyId: newId('company'),
    fingerprint: randomBytes(32),
  })

  it('is held longer than a test event may take', async () => {
    const deps = testDeps(database, { WEBHOOK_TIMEOUT: '2m' })
    const request = newRequest()
    const { answer } = await runOnce(deps, request, async () => ({
      body: await database
        .db('idempotency')
        .where({ scope: request.scope })
        .select(database.db.raw('TIMESTAMPDIFF(SECOND, created_at, locked_until) AS leaseS')),
    }))
    expect((answer.body as { leaseS: number }[])[0]?.leaseS).to.be.above(130)
  })

  it('is answered and not done again when its answer cannot be kept at first', async () => {
    const deps = testDeps(database)
    const request = newRequest()
    let runs = 0
    const work = () => Promise.resolve({ status: 201, body: { run: ++runs } })
    const refuse = "BEFORE UPDATE ON idempotency FOR EACH ROW SIGNAL SQLSTATE '45000'"
    await database.db.raw(`CREATE TRIGGER no_answers ${refuse}`)
    expect(await runOnce(deps, request, work)).to.deep.equal({
      answer: { status: 201, body: { run: 1 } },
      isReplay: false,
    })
    const early = await runOnce(deps, request, work).catch((error: unknown) => error)
    expect(early).to.have.property('code', 'CONFLICT')
    await database.db.raw('DROP TRIGGER no_answers')
    const repeat = await until(
      () => runOnce(deps, request, work).catch(() => undefined),
      (outcome) => outcome !== undefined,
    )
    expect(repeat).to.deep.equal({ answer: { status: 201, body: { run: 1 } }, isReplay: true })
  })
})
