import { expect } from 'chai'
import { useCrashAtCommit } from '../support/crash-at-commit.ts'
import { until } from '../support/poll.ts'
import type { Json, TestTenant } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'

const WEBHOOKS = '/api-v1-webhooks'
const WEBHOOK = { name: 'a', url: 'https://example.com/hook', events: ['contact.created'] }

describe('the answer of a keyed POST', function () {
  this.timeout(60_000)
  const use = useStack({ workers: 0, mayLogErrors: true })
  const crashAtCommit = useCrashAtCommit(use)
  const create = (client: TestTenant) =>
    client.request('POST', WEBHOOKS, WEBHOOK, { 'Idempotency-Key': use.tenant.keyId })
  const list = async (): Promise<Json[]> => (await use.tenant.request('GET', WEBHOOKS)).body.data
  const kept = () =>
    until(
      () => use.stack.db('idempotency').where({ company_id: use.tenant.tenant.companyId }),
      (rows: Json[]) => rows.some(({ answer_sealed }) => answer_sealed !== null),
    )

  // decision: The answer is kept with the work
  it('answers the repeat when its api dies after the commit, and creates no second webhook', async () => {
    const crash = { send: create, statement: 'update `idempotency`', untilCommitted: kept }
    const repeat = await create(await crashAtCommit(crash))
    expect([repeat.status, repeat.headers.get('idempotent-replayed')]).to.deep.equal([201, 'true'])
    expect(repeat.body.data.secret).to.match(/^whsec_/)
    expect((await list()).map(({ id }) => id)).to.deep.equal([repeat.body.data.id])
  })

  it('leaves nothing when its api dies before the commit', async () => {
    const client = await crashAtCommit({ send: create, statement: 'update `idempotency`' })
    expect(await list()).to.have.length(0)
    const again = await create(client)
    expect([again.status, again.headers.get('retry-after')]).to.deep.equal([409, '1'])
  })
})
