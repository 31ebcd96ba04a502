import { expect } from 'chai'
import { newId } from '../../../src/domain/ids.ts'
import * as companies from '../../../src/operations/companies.ts'
import { refusalOf, useOperations } from '../../support/use-operations.ts'
import { companyOfKey, companyOfUser } from '../../../src/operations/operator/across-companies.ts'
import { CompanyRate, WRITE_EVERY_MS } from '../../../src/operations/minute-limits.ts'
import { connect, type Db } from '../../../src/db/connection/connection.ts'
import { useDatabase, testDeps } from '../../support/database.ts'
import { until } from '../../support/poll.ts'
import { statementsOf, countRowsRead } from '../../support/rows-read.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import type { AuditAction } from '../../../src/domain/audit/actions.ts'
import type { AuditFilter, AuditRecord } from '../../../src/domain/audit/entry.ts'
import { auditAs, auditParts, listAudit } from '../../../src/operations/audit.ts'

describe('companies', () => {
  const its = useOperations()
  const actor = { id: 'cli', ip: '192.0.2.1', requestId: 'a-request' }
  const create = (name: string) => companies.createCompany(its.deps, actor, { name })

  it('are there once they are created, with who created them in the audit, and not with a name that is blank or cannot be kept', async () => {
    const { id } = await create('Ünïted Engines 🚀')
    expect(await refusalOf(companies.requireCompany(its.deps, id))).to.equal('none')
    const { db } = its.database
    expect(await db('companies').where({ id }).pluck('name')).to.deep.equal(['Ünïted Engines 🚀'])
    const [entry] = await db('audit').where({ company_id: id })
    const by = { actor: 'cli', ip: '192.0.2.1', request_id: 'a-request' }
    expect(entry).to.include({ action: 'company.create', subject_id: id, details: '{}', ...by })
    const before = await its.db('companies')
    for (const name of [' \t', 'a\0b'])
      expect(await refusalOf(create(name))).to.match(/^VALIDATION_ERROR: "name" must not/)
    expect(await its.db('companies')).to.deep.equal(before)
  })

  // decision: Suspended companies
  it('are suspended once and resumed once, with both in the audit, and one command for the resumption', async () => {
    const id = its.keyring.companyId
    const { suspendedAt } = await companies.suspendCompany(its.deps, actor, id)
    expect(suspendedAt).to.be.an.instanceOf(Date)
    expect(await companies.suspendCompany(its.deps, actor, id)).to.deep.include({ id, suspendedAt })
    expect(await its.queued()).to.deep.equal([])
    for (let time = 0; time < 2; time++)
      expect(await companies.resumeCompany(its.deps, actor, id)).to.include({ id, suspendedAt: null })
    const commands = its.db('outbox').where({ company_id: id }).select('kind', 'subject_id', 'version')
    expect(await commands).to.deep.equal([{ kind: 'resume-company', subject_id: id, version: 1 }])
    const resumed = `company.resume ${JSON.stringify({ suspended_at: suspendedAt })}`
    expect((await its.audited(id)).slice(1)).to.deep.equal(['company.suspend {}', resumed])
  })

  it('are refused where no company has the id, however it is written', async () => {
    const { companyId } = its.keyring
    const refusal = 'NOT_FOUND: Company not found.'
    for (const id of [newId('company'), 'com_1', '', `${companyId} `, companyId.toUpperCase()]) {
      expect(await refusalOf(companies.requireCompany(its.deps, id)), id).to.equal(refusal)
      for (const change of [companies.suspendCompany, companies.resumeCompany])
        expect(await refusalOf(change(its.deps, actor, id)), id).to.equal(refusal)
    }
  })

  it('own a user until that leaves, and no unknown or malformed id, nor one of another kind', async () => {
    const gone = await its.keyring.user()
    await its.keyring.remove(gone)
    const userId = await its.keyring.user()
    const { id: keyId } = await its.keyring.create()
    for (const id of [newId('apiKey'), 'key_1', `${keyId} `, keyId.toUpperCase(), userId])
      expect(await refusalOf(companyOfKey(its.deps, id)), id).to.equal('NOT_FOUND: API key not found.')
    for (const id of [gone, newId('user'), 'usr_1', `${userId} `, userId.toUpperCase(), keyId])
      expect(await refusalOf(companyOfUser(its.deps, id)), id).to.equal('NOT_FOUND: User not found.')
  })
})

const LIMIT = 1_000

// decision: Limit per company
describe('the limit of requests per company', () => {
  const its = useDatabase()
  let nowMs = 0
  /** One connection with a fixed time, so that no minute of the database ends during a test. */
  let db: Db
  /** Writes that have begun, and how many of them have read the other processes' counts. */
  let [begun, read] = [0, 0]
  before(async () => {
    db = connect(its.url, { poolSize: 1 })
    await db.raw('SET timestamp = 1000000000')
    db.on('query', ({ sql }: { sql: string }) => void (begun += Number(sql.startsWith('INSERT'))))
    db.on('query-response', (_, { sql }: { sql: string }) => void (read += Number(sql.startsWith('SELECT'))))
  })
  after(() => db.destroy())
  /** The counter of an api process. */
  const processOf = (own = db) => {
    const deps = testDeps(its, { COMPANY_RATE_LIMIT_PER_MINUTE: String(LIMIT) })
    return new CompanyRate({ ...deps, db: own, databaseClock: { now: () => new Date(nowMs) } })
  }
  /** Each test has its own company, because the write of an earlier test may still be under way. */
  let companyId: string
  beforeEach(() => {
    nowMs = 0
    companyId = newId('company')
  })
  const written = async () =>
    (await its.db('company_requests').where({ company_id: companyId }).first<{ taken: number } | undefined>())
      ?.taken ?? 0
  /** Waits until the count is written. A request of 0 lets a process write when its previous write was too recent. */
  const takenIs = (points: number, ...rates: CompanyRate[]) =>
    until(
      async () => {
        for (const rate of rates) rate.take(companyId, 0)
        return { taken: await written(), isOver: begun === read }
      },
      ({ taken, isOver }) => taken === points && isOver,
    )
  const take = (rate: CompanyRate, times: number) => {
    for (let n = 0; n < times; n++) rate.take(companyId, 1)
  }

  it('holds over all processes, from the next second on, and begins again with the next minute', async () => {
    const [one, other] = [processOf(), processOf()]
    take(one, 600)
    take(other, 300)
    // Both processes wrote after more than a twentieth of the quota, and write the rest a second later.
    await takenIs(51 + 51, one, other)
    nowMs += WRITE_EVERY_MS
    await takenIs(600 + 300, one, other)
    nowMs += WRITE_EVERY_MS
    take(one, 1)
    await takenIs(901, one)
    expect(() => take(one, 100)).to.throw('may make 1000 requests a minute')
    nowMs += 60_000
    take(other, LIMIT)
    expect(() => take(other, 1)).to.throw()
  })

  it('writes nothing for a company far below it, and once a second for any other', async () => {
    const rate = processOf()
    const statements = await statementsOf(db, async () => {
      take(rate, 50)
      expect(await written()).to.equal(0)
      take(rate, 500)
      await takenIs(51)
    })
    expect(statements.filter((sql) => sql.startsWith('INSERT'))).to.have.length(1)
  })

  it('says how long to wait; a refused request takes nothing, and a neighbour has a limit of its own', () => {
    const rate = processOf()
    nowMs = 20_000
    rate.take(companyId, LIMIT - 10)
    const headers = { 'Retry-After': '40' }
    expect(() => rate.take(companyId, 20))
      .to.throw()
      .with.deep.property('headers', headers)
    rate.take(companyId, 10)
    rate.take(newId('company'), LIMIT)
  })

  it('goes on in each process while the database is away', async () => {
    const rate = processOf((() => Promise.reject(new Error('away'))) as never)
    take(rate, LIMIT)
    await new Promise(setImmediate)
    expect(() => take(rate, 1)).to.throw('requests a minute')
  })
})

// decision: The audit
describe('the audit of a company', () => {
  const its = useOperations()
  const company = () => its.keyring.companyId
  const at = (second: number) => new Date(Date.UTC(2020, 0, 1, 0, 0, second))
  const write = (action: AuditAction, target: string, second: number, actor = COMMAND_LINE) =>
    auditAs(its.tenant(), actor)(its.db, action, target, at(second))
  const read = async (filter: AuditFilter, limit = 100): Promise<AuditRecord[]> => {
    const found: AuditRecord[] = []
    for (let cursor: string | undefined; ;) {
      const page = await listAudit(its.deps, company(), { limit, cursor, filter })
      expect(page.items.length).to.be.at.most(limit)
      found.push(...page.items)
      if (page.nextCursor === null) return found
      cursor = page.nextCursor
    }
  }

  it('shows what every filter and all together let through, in parts of any length, newest first', async () => {
    const ann = { id: await its.keyring.user() }
    const [a, b] = [newId('webhook'), newId('webhook')]
    await write('webhook.update', a, 1)
    for (const target of [a, b]) await write('webhook.update', target, 2, ann)
    for (const second of [2, 3]) await write('webhook.delete', a, second, ann)
    const before = { createdBefore: new Date(Date.UTC(2021, 0)) }
    for (const limit of [1, 2, 100]) {
      const seen = async (filter: AuditFilter) =>
        (await read({ ...before, ...filter }, limit)).map(({ at, action, targetId }) =>
          [at.getUTCSeconds(), action.slice(8), targetId === a ? 'a' : 'b'].join(' '),
        )
      const all = ['3 delete a', '2 delete a', '2 update b', '2 update a', '1 update a']
      const window = { createdAfter: at(2), createdBefore: at(3) }
      for (const [filter, entries] of [
        [{}, all],
        [{ actor: ann.id }, all.slice(0, 4)],
        [{ actor: 'cli' }, all.slice(4)],
        [{ target: b }, ['2 update b']],
        [{ action: 'webhook.update', target: a }, ['2 update a', '1 update a']],
        [{ action: 'webhook.delete', actor: 'cli' }, []],
        [{ actor: ann.id, ...window }, all.slice(1, 4)],
      ] as const)
        expect(await seen(filter)).to.deep.equal(entries)
    }
    expect((await read({ actor: ann.id }))[0]).to.include({ actorName: 'A user', targetName: null })
  })

  it('looks at 10,000 rows for a part, however few fit, and goes on from there to the end', async () => {
    const target = newId('webhook')
    await write('webhook.delete', target, 1)
    await its.db.raw(
      `INSERT INTO audit (company_id, at, actor, action, subject_id, details)
       SELECT ?, NOW(3), 'cli', 'webhook.update', ?, '{}' FROM
         (WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 160) SELECT i FROM n) a,
         (WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 160) SELECT i FROM n) b`,
      [company(), target],
    )
    const filter = { target, action: 'webhook.delete' }
    const rows = await countRowsRead(its.deps.db, async (db) => {
      const part = await listAudit({ db }, company(), { limit: 10, filter })
      expect([part.items, part.nextCursor !== null]).to.deep.equal([[], true])
    })
    expect(rows).to.be.below(25_000)
    expect(await read(filter)).to.have.length(1)
  })

  it('is read by an export no further than its reader asks', async () => {
    for (let second = 0; second < 3; second++) await write('webhook.update', newId('webhook'), second)
    let reads = 0
    const parts = auditParts(its.deps, company(), {}, (work) => ((reads += 1), work()))
    expect((await parts.next()).value).to.have.length.above(2)
    await parts.return(undefined)
    expect(reads).to.equal(1)
  })
})
