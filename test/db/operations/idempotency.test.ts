import { expect } from 'chai'
import { insertCompany } from '../../../src/db/companies.ts'
import { inTransaction } from '../../../src/db/connection/connection.ts'
import { newId } from '../../../src/domain/ids.ts'
import { runOnce } from '../../../src/operations/idempotency.ts'
import { testDeps } from '../../support/deps.ts'
import { newIdempotentRequest } from '../../support/idempotency.ts'
import { until } from '../../support/poll.ts'
import { useOperations } from '../../support/use-operations.ts'

describe('work that is done once', () => {
  const its = useOperations()

  // decision: The answer of a test event
  it('is held longer than a test event may take', async () => {
    const deps = testDeps(its.database, { WEBHOOK_TIMEOUT: '2m' })
    const request = newIdempotentRequest()
    const { answer } = await runOnce(deps, request, async () => ({
      body: await its
        .db('idempotency')
        .where({ scope: request.requestHash })
        .select(its.db.raw('TIMESTAMPDIFF(SECOND, created_at, locked_until) AS leaseS')),
    }))
    expect((answer.body as { leaseS: number }[])[0]?.leaseS).to.be.above(130)
  })

  // decision: The answer of a test event
  it('is answered and not done again when its answer cannot be kept at first', async () => {
    const { deps } = its
    const request = newIdempotentRequest()
    let runs = 0
    const work = () => Promise.resolve({ status: 201, body: { run: ++runs } })
    const refuse = "BEFORE UPDATE ON idempotency FOR EACH ROW SIGNAL SQLSTATE '45000'"
    await its.db.raw(`CREATE TRIGGER no_answers ${refuse}`)
    expect(await runOnce(deps, request, work)).to.deep.equal({
      answer: { status: 201, body: { run: 1 } },
      isReplay: false,
    })
    const early = await runOnce(deps, request, work).catch((error: unknown) => error)
    expect(early).to.have.property('code', 'CONFLICT')
    await its.db.raw('DROP TRIGGER no_answers')
    const repeat = await until(
      () => runOnce(deps, request, work).catch(() => undefined),
      (outcome) => outcome !== undefined,
    )
    expect(repeat).to.deep.equal({ answer: { status: 201, body: { run: 1 } }, isReplay: true })
  })

  // decision: The answer is kept with the work
  it('takes the work back when the key was taken over meanwhile', async () => {
    const { deps, database } = its
    const request = newIdempotentRequest()
    const company = { id: newId('company'), name: 'late', createdAt: new Date() }
    const late = await runOnce(deps, request, (hold) =>
      inTransaction(deps.db, async (trx) => {
        await insertCompany(trx, company)
        await database
          .db('idempotency')
          .where({ scope: request.requestHash })
          .update({ locked_until: new Date(0) })
        await runOnce(deps, request, () => Promise.resolve({ body: 'of the next one' }))
        await hold.keep(trx, { body: 'of the late one' })
        return { body: 'of the late one' }
      }),
    ).catch((error: unknown) => error)
    expect(late).to.have.property('code', 'CONFLICT')
    expect(await database.db('companies').where({ id: company.id })).to.have.length(0)
    const repeat = await runOnce(deps, request, () => Promise.resolve({ body: 'again' }))
    expect(repeat).to.deep.equal({ answer: { body: 'of the next one' }, isReplay: true })
  })
})
