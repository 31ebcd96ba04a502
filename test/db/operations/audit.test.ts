import { expect } from 'chai'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import type { AuditAction } from '../../../src/domain/audit/actions.ts'
import type { AuditFilter, AuditRecord } from '../../../src/domain/audit/entry.ts'
import { newId } from '../../../src/domain/ids.ts'
import { auditAs, auditParts, listAudit } from '../../../src/operations/audit.ts'
import { countRowsRead } from '../../support/rows-read.ts'
import { useOperations } from '../../support/use-operations.ts'

// decision: The audit
describe('the audit of a company', () => {
  const its = useOperations()
  const company = () => its.keyring.companyId
  const write = (action: AuditAction, target: string, second: number, actor = COMMAND_LINE) =>
    auditAs(its.tenant(), actor)(its.db, action, target, new Date(Date.UTC(2020, 0, 1, 0, 0, second)))
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
    await write('webhook.update', a, 2, ann)
    await write('webhook.update', b, 2, ann)
    await write('webhook.delete', a, 2, ann)
    await write('webhook.delete', a, 3, ann)
    const before = { createdBefore: new Date(Date.UTC(2021, 0)) }
    for (const limit of [1, 2, 100]) {
      const seen = async (filter: AuditFilter) =>
        (await read({ ...before, ...filter }, limit)).map(({ at, action, targetId }) =>
          [at.getUTCSeconds(), action.slice(8), targetId === a ? 'a' : 'b'].join(' '),
        )
      const all = ['3 delete a', '2 delete a', '2 update b', '2 update a', '1 update a']
      expect(await seen({})).to.deep.equal(all)
      expect(await seen({ actor: ann.id })).to.deep.equal(all.slice(0, 4))
      expect(await seen({ actor: 'cli' })).to.deep.equal(all.slice(4))
      expect(await seen({ target: b })).to.deep.equal(['2 update b'])
      expect(await seen({ action: 'webhook.update', target: a })).to.deep.equal(['2 update a', '1 update a'])
      expect(await seen({ action: 'webhook.delete', actor: 'cli' })).to.deep.equal([])
      const window = {
        createdAfter: new Date('2020-01-01T00:00:02Z'),
        createdBefore: new Date('2020-01-01T00:00:03Z'),
      }
      expect(await seen({ actor: ann.id, ...window })).to.have.length(3)
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
