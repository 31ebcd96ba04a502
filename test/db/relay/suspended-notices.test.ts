import { expect } from 'chai'
import { toHealthRow } from '../../../src/db/webhook/health.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { HOUR_MS } from '../../../src/domain/instants.ts'
import { HEALTHY, type EndpointHealth } from '../../../src/domain/webhook/health.ts'
import { NONE_COUNTED } from '../../../src/domain/webhook/long-failure.ts'
import { resumeCompany, suspendCompany } from '../../../src/operations/companies.ts'
import { NoticeMaker } from '../../../src/relay/notice-maker.ts'
import { noticesAbout } from '../../support/notices.ts'
import { useOperations } from '../../support/use-operations.ts'

describe('notices of failing endpoints', () => {
  const its = useOperations()
  const { tenant, create } = its

  async function failing(fields: Partial<EndpointHealth>): Promise<string> {
    const { webhook } = await create()
    const health = { ...HEALTHY, consecutiveFailures: 3, lastError: 'http_503', ...fields }
    await its.db('webhook_health').insert(toHealthRow(webhook.id, health, new Date()))
    return webhook.id
  }

  // decision: Suspended companies
  it('are not made while the company is suspended, because nothing is sent to the endpoints', async () => {
    const since = new Date(Date.now() - HOUR_MS - 60_000)
    const probed = await failing({ failingSince: since, probeAt: new Date() })
    const counted = { ...NONE_COUNTED, since, latestAt: since, attempts: 3, days: 1 }
    const slow = await failing({ failingSince: since, counted })
    const kinds = async () => {
      await new NoticeMaker(its.deps).look()
      const all = await Promise.all([probed, slow].map((id) => noticesAbout(its.db, id)))
      return all.flat().map(({ kind }) => kind)
    }
    await suspendCompany(its.deps, COMMAND_LINE, tenant().companyId)
    expect(await kinds()).to.deep.equal([])
    await resumeCompany(its.deps, COMMAND_LINE, tenant().companyId)
    expect(await kinds()).to.deep.equal(['webhook_failing', 'webhook_failing'])
  })
})
