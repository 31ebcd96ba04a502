import { expect } from 'chai'
import { newId } from '../../../../src/domain/ids.ts'
import { makeNotice } from '../../../support/notices.ts'
import { runCommand, usageErrorOf } from '../../../support/operator-commands.ts'
import { refusalOf } from '../../../support/refusals.ts'
import type { Json } from '../../../support/tenants.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('the command notice list', () => {
  const its = useOperations()
  beforeEach(() => its.db('notices').delete())
  const cli = (...args: string[]): Promise<Json> => runCommand(its.deps, 'notice', 'list', ...args)
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
  const idsOf = ({ data }: Json): string[] => data.map(({ id }: Json) => id)

  /** A notice of the company in each environment, one of another company, and one for the operator; the oldest first. */
  async function makeAll(): Promise<string[]> {
    const { db } = its.database
    const { companyId } = its.keyring
    const other = { companyId: newId('company'), environment: 'live' as const }
    return [
      await makeNotice(db, { companyId, environment: 'live' }, 'webhook_gone', { createdAt: at(1) }),
      await makeNotice(db, other, 'deliveries_failed', { total: 3, createdAt: at(2) }),
      await makeNotice(db, null, 'most_endpoints_fail', { targetId: '', total: 4, createdAt: at(3) }),
      await makeNotice(db, { companyId, environment: 'test' }, 'key_expires_in_1_day', {
        ...{ targetId: newId('apiKey'), at: at(50), createdAt: at(4) },
      }),
    ]
  }

  // decision: Notices for the operator
  it('lists those of all companies and those for the operator, newest first, in parts without gap or repeat', async () => {
    const ids = (await makeAll()).reverse()
    const found: string[] = []
    for (let cursor: string[] = []; ;) {
      const page = await cli('--limit', '3', ...cursor)
      found.push(...idsOf(page))
      if (page.pagination.next_cursor === null) break
      cursor = ['--cursor', page.pagination.next_cursor]
    }
    expect(found).to.deep.equal(ids)
    const { data } = await cli()
    const fields = ['id', 'kind', 'webhook_id', 'key_id', 'message', 'count', 'created_at']
    expect(data[0]).to.have.all.keys(...fields, 'company_id', 'environment')
    expect(data[0]).to.include({ webhook_id: null, company_id: its.keyring.companyId, environment: 'test' })
    expect(data[1]).to.include({ kind: 'most_endpoints_fail', count: 4, company_id: null, environment: null })
    expect(data[1]).to.include({ webhook_id: null, key_id: null })
    expect(data[2]).to.include({ count: 3, key_id: null })
    expect(data[2].webhook_id).to.match(/^whk_/)
  })

  // decision: Notices for the operator
  it('lists those of one company alone, of both environments, and those of some kinds', async () => {
    const [live, , operators, test] = await makeAll()
    const { companyId } = its.keyring
    expect(idsOf(await cli('--company', companyId))).to.deep.equal([test, live])
    expect(idsOf(await cli('--kind', 'most_endpoints_fail,webhook_gone'))).to.deep.equal([operators, live])
    expect(idsOf(await cli('--company', companyId, '--kind', 'webhook_gone'))).to.deep.equal([live])
    const { pagination } = await cli('--limit', '1')
    const other = cli('--kind', 'webhook_gone', '--cursor', pagination.next_cursor as string)
    expect(await refusalOf(other)).to.match(/^VALIDATION_ERROR: The cursor is not one of this list/)
  })

  it('refuses an unknown company, and takes a wrong kind for wrong usage', async () => {
    expect(await refusalOf(cli('--company', newId('company')))).to.equal('NOT_FOUND: Company not found.')
    const wrong = await usageErrorOf(its.deps, 'notice', 'list', '--kind', 'webhook_lost')
    expect(wrong).to.match(/^--kind must be one or more of webhook_failing, /)
  })
})
