import { expect } from 'chai'
import { formatForPeople } from '../../../../src/cli/people/format.ts'
import { addToHours } from '../../../../src/db/system/attempt-stats.ts'
import { floorTo, HOUR_MS } from '../../../../src/domain/instants.ts'
import { NO_FIGURES, withAttempt } from '../../../../src/domain/webhook/stats.ts'
import { answered } from '../../../support/made-attempts.ts'
import { runCommand, usageErrorOf } from '../../../support/operator-commands.ts'
import { refusalOf } from '../../../support/refusals.ts'
import type { Json } from '../../../support/tenants.ts'
import { useOperations } from '../../../support/use-operations.ts'

const HEALTHY = {
  state: 'healthy',
  failing_since: null,
  consecutive_failures: 0,
  last_success_at: null,
  last_error: null,
  waiting: 0,
  first_attempts_held: false,
  next_attempt_at: null,
  paused_until: null,
  warned_at: null,
}

const STYLE = { isUtc: true, isColoured: false }

describe('the commands for webhooks', () => {
  const its = useOperations()
  const { tenant, create, queued, audited } = its
  const cli = (...args: string[]): Promise<Json> => runCommand(its.deps, ...args)
  const list = (...more: string[]) => cli('webhook', 'list', '--company', tenant().companyId, ...more)

  it('list those of a company by environment and state, newest first, with their health', async () => {
    const active = (await create({ name: 'one' })).webhook.id
    const inactive = (await create({ name: 'two', isActive: false })).webhook.id
    const ids = async (...more: string[]) => (await list(...more)).map(({ id }: Json) => id)
    expect(await ids()).to.have.members([active, inactive])
    expect(await ids('--active', 'true')).to.deep.equal([active])
    expect(await ids('--active', 'false', '--env', 'live')).to.deep.equal([inactive])
    expect(await ids('--env', 'test')).to.deep.equal([])
    expect((await list('--active', 'true'))[0]).to.deep.include({ environment: 'live', health: HEALTHY })
  })

  // decision: Custom headers on the command line
  it('never show the secret, nor values of custom headers', async () => {
    const { webhook, secret } = await create({ headers: { 'x-token': 'hidden-token' } })
    for (const shown of [await cli('webhook', 'show', '--id', webhook.id), (await list())[0]]) {
      expect(shown.headers).to.deep.equal({ 'x-token': '(hidden)' })
      expect(JSON.stringify(shown)).to.not.include(secret).and.not.include('hidden-token')
    }
  })

  it('disable and enable one as the API does: what waits goes on, the audit names cli, failures are forgotten', async () => {
    const { id } = (await create()).webhook
    const at = new Date()
    await its.db('webhook_health').insert({ webhook_id: id, failing_since: at, changed_at: at })
    expect(await cli('webhook', 'disable', '--id', id)).to.include({ id, is_active: false })
    const enabled = await cli('webhook', 'enable', '--id', id)
    expect(enabled).to.deep.include({ company_id: tenant().companyId, is_active: true, health: HEALTHY })
    expect(await queued()).to.deep.equal(['resume-webhook'])
    expect((await audited(id)).slice(1)).to.deep.equal(
      Array(2).fill('webhook.update {"fields":["is_active"]}'),
    )
    const { data } = await cli('audit', 'list', '--company', tenant().companyId, '--limit', '2')
    expect(data.map(({ actor, target_id }: Json) => [actor, target_id])).to.deep.equal([
      ['cli', id],
      ['cli', id],
    ])
  })

  it('show the statistics of one, of 24 hours unless told otherwise, as the API does', async () => {
    const { id } = (await create()).webhook
    const now = new Date()
    const figures = withAttempt(NO_FIGURES, answered(500, { durationMs: 30 }))
    await addToHours(its.db, 1, [{ webhookId: id, startsAt: floorTo(now, HOUR_MS), figures }])
    const shown = await cli('webhook', 'stats', '--id', id)
    expect(shown).to.include({ id, company_id: tenant().companyId, window: '24h', unit: 'hour' })
    expect(shown.totals).to.include({ attempts: 1, failures: 1, p50_ms: 50 })
    expect(shown.series).to.have.length(24)
    const week = await cli('webhook', 'stats', '--id', id, '--window', '7d')
    expect(week.series.map(({ attempts }: Json) => attempts)).to.deep.equal([0, 0, 0, 0, 0, 0, 1])
    const lines = formatForPeople(shown, ['starts_at', 'attempts', 'by_class.5xx', 'p50_ms'], STYLE).split(
      '\n',
    )
    expect(lines.find((line) => line.startsWith('totals.p50_ms'))).to.match(/ 50$/)
    expect(lines.at(-1)).to.match(/ 1 +1 +50$/)
  })

  it('are told NOT_FOUND for unknown, malformed and deleted webhooks and companies', async () => {
    for (const id of ['whk_1', 'whk_00000000-0000-4000-8000-000000000000']) {
      for (const verb of ['show', 'stats', 'enable', 'disable']) {
        expect(await refusalOf(cli('webhook', verb, '--id', id))).to.equal('NOT_FOUND: Webhook not found.')
      }
    }
    const unknown = cli('webhook', 'list', '--company', 'com_1')
    expect(await refusalOf(unknown)).to.equal('NOT_FOUND: Company not found.')
  })

  it('take a wrong filter for wrong usage', async () => {
    const company = ['webhook', 'list', '--company', tenant().companyId]
    const sentence = '--active must be one of true, false.'
    expect(await usageErrorOf(its.deps, ...company, '--active', 'yes')).to.equal(sentence)
    const stats = ['webhook', 'stats', '--id', 'whk_1', '--window', '1h']
    expect(await usageErrorOf(its.deps, ...stats)).to.equal('--window must be one of 24h, 7d, 30d.')
  })
})
