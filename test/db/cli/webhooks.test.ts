import { expect } from 'chai'
import { addToCounters } from '../../../src/db/webhook/counters.ts'
import { addToHours } from '../../../src/db/webhook/hourly-stats.ts'
import { newId } from '../../../src/domain/ids.ts'
import { floorTo, HOUR_MS } from '../../../src/domain/instants.ts'
import { NONE_COUNTED } from '../../../src/domain/webhook/long-failure.ts'
import { NO_FIGURES, withAttempt } from '../../../src/domain/webhook/stats.ts'
import { answered } from '../../support/made-attempts.ts'
import { commandsOn } from '../../support/operator-commands.ts'
import type { Json } from '../../support/tenants.ts'
import { refusalOf, useOperations } from '../../support/use-operations.ts'
import { progressBar } from '../../../src/cli/terminal.ts'
import { until } from '../../support/poll.ts'
import { useRecoveries } from '../../support/use-recoveries.ts'
import { words } from '../../support/words.ts'

describe('the commands for webhooks', () => {
  const its = useOperations()
  const { tenant, queued } = its
  const { cli, usageError } = commandsOn(its)
  const list = (text = '') => cli(`webhook list --company ${tenant().companyId} ${text}`)

  it('list those of a company by environment and state, newest first, with their health, and refuse a wrong filter', async () => {
    const active = await its.newWebhook({ name: 'one' })
    const inactive = await its.newWebhook({ name: 'two', isActive: false })
    const ids = async (text = '') => (await list(text)).data.map(({ id }: Json) => id)
    expect(await ids()).to.have.members([active, inactive])
    expect(await ids('--active false --env live')).to.deep.equal([inactive])
    expect(await ids('--env test')).to.deep.equal([])
    const [shown, ...others] = (await list('--active true')).data
    expect(others).to.deep.equal([])
    const told = { id: active, environment: 'live', 'health.state': 'healthy' }
    expect(shown).to.nested.include(told)
    const wrong = await usageError(`webhook list --company ${tenant().companyId} --active yes`)
    expect(wrong).to.equal('--active must be one of true, false.')
  })

  it('list those of all companies that fail, the longest failing first, with what waits, and no more than asked for', async () => {
    const since = (hours: number) => new Date(Date.now() - hours * HOUR_MS)
    const failing = async (hours: number, more = {}, fields = {}) => {
      const id = await its.newWebhook(fields)
      const counted = { ...NONE_COUNTED, since: since(hours), attempts: 3 }
      const health = { failingSince: since(hours), lastError: 'http_500', consecutiveFailures: 3, counted }
      await its.setHealth(id, { ...health, ...more })
      return id
    }
    await its.empty('webhook_health')
    const [short, longest] = [await failing(1), await failing(50, { probeAt: new Date() })]
    await failing(99, {}, { isActive: false })
    await its.newWebhook()
    const changes = { pending: 2, retrying: 5, success: 9 }
    await addToCounters(its.deps.db, [{ webhookId: longest, changes }])
    const { data } = await cli('webhook failing')
    expect(data.map(({ id }: Json) => id)).to.deep.equal([longest, short])
    const { companyId: company_id, environment } = tenant()
    const shown = { company_id, environment, last_error: 'http_500', waiting: 7, first_attempts_held: true }
    expect(data[0]).to.include(shown)
    expect((await cli('webhook failing --limit 1')).data).to.deep.equal([data[0]])
  })

  // decision: Custom headers on the command line
  it('never show the secret, nor values of custom headers', async () => {
    const { webhook, secret } = await its.create({ headers: { 'x-token': 'hidden-token' } })
    for (const shown of [await cli(`webhook show --id ${webhook.id}`), (await list()).data[0]]) {
      expect(shown.headers).to.deep.equal({ 'x-token': '(hidden)' })
      expect(JSON.stringify(shown)).to.not.include(secret).and.not.include('hidden-token')
    }
  })

  it('disable and enable one as the API does: what waits goes on, the audit tells it, failures are forgotten', async () => {
    const id = await its.newWebhook()
    await its.setHealth(id, { failingSince: new Date() })
    expect(await cli(`webhook disable --id ${id}`)).to.include({ id, is_active: false })
    const enabled = await cli(`webhook enable --id ${id}`)
    expect(enabled).to.include({ company_id: tenant().companyId, is_active: true })
    expect(enabled.health).to.include({ failing_since: null })
    expect(await queued()).to.deep.equal(['resume-webhook'])
    expect(await its.actions(id)).to.deep.equal(['webhook.create', 'webhook.update', 'webhook.update'])
  })

  it('create one and show its secret once, and delete it only when told so, as the audit tells', async () => {
    const { companyId } = tenant()
    const url = 'https://example.com/hook'
    const create = `webhook create --company ${companyId} --name n --url ${url} --env test --events`
    const { id, secret } = await cli(`${create} contact.created,deal.created`)
    expect(secret).to.match(/^whsec_/)
    const shown = await cli(`webhook show --id ${id}`)
    const given = { environment: 'test', url, events: ['contact.created', 'deal.created'] }
    expect(shown).to.deep.include(given).and.not.have.property('secret')
    expect(await refusalOf(cli(`${create} deal.lost`))).to.match(/^VALIDATION_ERROR: .*deal.lost/)
    const sentence = await usageError(`webhook delete --id ${id}`)
    expect(sentence).to.match(/^This deletes the webhook "n" .* Without a terminal it needs --yes\.$/)
    expect(await cli(`webhook delete --id ${id} --yes`)).to.deep.equal({ deleted: true })
    expect(await refusalOf(cli(`webhook show --id ${id}`))).to.match(/^NOT_FOUND/)
    const { data } = await cli(`audit list --company ${companyId} --limit 2`)
    const entries = data.map(({ actor, action }: Json) => `${actor} ${action}`)
    expect(entries).to.deep.equal(['cli webhook.delete', 'cli webhook.create'])
  })

  it('set and remove the filter of one by the rules of the API', async () => {
    const id = await its.newWebhook()
    const update = (filter: string) => cli(`webhook update --id ${id} --filter ${filter}`)
    const filter = { 'data.stage': 'won' }
    expect((await update(JSON.stringify(filter))).filter).to.deep.equal(filter)
    expect(await refusalOf(update('{"data.stage":{"$is":1}}'))).to.contain('"filter.data.stage.$is" is no')
    expect(await refusalOf(update('[]'))).to.contain('--filter must be a JSON object')
    expect(await update('null')).not.to.have.property('filter')
  })

  it('show the statistics of one, of 24 hours unless told otherwise, as the API does', async () => {
    const id = await its.newWebhook()
    const figures = withAttempt(NO_FIGURES, answered(500, { durationMs: 30 }))
    await addToHours(its.db, 1, [{ webhookId: id, startsAt: floorTo(new Date(), HOUR_MS), figures }])
    const shown = await cli(`webhook stats --id ${id}`)
    expect(shown).to.include({ id, company_id: tenant().companyId, window: '24h', unit: 'hour' })
    expect(shown.totals).to.include({ attempts: 1, failures: 1, p50_ms: 50 })
    expect(shown.series).to.have.length(24)
    const week = await cli(`webhook stats --id ${id} --window 7d`)
    expect(week.series.map(({ attempts }: Json) => attempts)).to.deep.equal([0, 0, 0, 0, 0, 0, 1])
    const wrong = await usageError(`webhook stats --id ${id} --window 1h`)
    expect(wrong).to.equal('--window must be one of 24h, 7d, 30d.')
  })

  it('and those for deliveries are told NOT_FOUND for unknown and malformed ids', async () => {
    for (const [entity, id, verbs, refusal] of [
      ['webhook', newId('webhook'), 'show stats enable disable test delete', 'Webhook not found.'],
      ['delivery', newId('delivery'), 'show retry resend', 'Delivery not found.'],
    ] as const)
      for (const verb of words(verbs))
        for (const unknown of [id, id.slice(0, 5)])
          expect(await refusalOf(cli(`${entity} ${verb} --id ${unknown}`))).to.equal(`NOT_FOUND: ${refusal}`)
  })
})

describe('the commands for recoveries', () => {
  const use = useRecoveries()
  const { its, insertFailed, page, settle } = use
  const { cli, usageError } = commandsOn(its)
  const recover = (id: string, more = '') =>
    cli(`webhook recover --id ${id} --since ${use.minute(0).toISOString()} ${more}`)
  const newWebhook = async (failed: number) => {
    const id = await its.newWebhook()
    return { id, deliveries: await insertFailed(id, failed) }
  }
  const running = (webhookId: string): Promise<{ id: string }> =>
    until(
      () => use.db()('recoveries').where({ running_webhook_id: webhookId }).first(),
      (row) => row !== undefined,
    )
  /** Carries out the recovery of a webhook as a worker does. */
  async function carryOut(webhookId: string, deliveries: readonly string[]): Promise<void> {
    const { id } = await running(webhookId)
    await page(id)
    await settle(deliveries, true)
    await page(id)
  }

  it('begin one, show and list it, and cancel it once', async () => {
    const { id } = await newWebhook(2)
    const started = await recover(id)
    expect(started).to.include({ status: 'running', total: 2, recovers: 'failed', webhook_id: id })
    expect(await cli(`recovery show --id ${started.id}`)).to.deep.equal(started)
    for (const wanted of [`--webhook ${id}`, `--company ${use.tenant().companyId} --env live`]) {
      const { data } = await cli(`recovery list ${wanted}`)
      expect(data.map((recovery: Json) => recovery.id)).to.deep.equal([started.id])
    }
    for (let time = 0; time < 2; time++) {
      const cancelled = await cli(`recovery cancel --id ${started.id}`)
      expect(cancelled).to.include({ status: 'cancelled', stopped_reason: 'requested' })
    }
  })

  it('wait for the end of it, and say when it was cancelled', async () => {
    const { id, deliveries } = await newWebhook(2)
    const waiting = recover(id, '--wait')
    await carryOut(id, deliveries)
    expect(await waiting).to.include({ status: 'done', queued: 2, total: 2 })
    const refused = refusalOf(recover(id, '--wait'))
    await cli(`recovery cancel --id ${(await running(id)).id}`)
    expect(await refused).to.match(/^CONFLICT: rec_\S+ was cancelled after 0 deliveries: requested/)
  })

  // decision: A recovery of a failing endpoint
  it('recover all webhooks with failed deliveries, no more at once than wanted, and none that is inactive or fails, unless forced', async () => {
    const webhooks = [await newWebhook(1), await newWebhook(2), await newWebhook(1)]
    await newWebhook(0)
    const inactive = await newWebhook(1)
    await its.set('webhooks', { id: inactive.id }, { is_active: false })
    const { id: failing } = await newWebhook(1)
    await its.setHealth(failing, { probeAt: new Date(), consecutiveFailures: 20 })
    const { companyId } = use.tenant()
    const since = `--all-failed-since ${use.minute(0).toISOString()}`
    const all = cli(`recover ${since} --company ${companyId} --at-once 2`)
    const listRunning = (): Promise<Json[]> =>
      use.db()('recoveries').where({ company_id: companyId, state: 'running' })
    await until(listRunning, (rows) => rows.length === 2)
    for (let left = webhooks.length; left > 0; left--) {
      const rows = await until(listRunning, (found) => found.length > 0)
      expect(rows).to.have.length.at.most(2)
      const { id, deliveries } = webhooks.find((webhook) => webhook.id === rows[0].webhook_id)!
      await carryOut(id, deliveries)
    }
    const { data: recoveries } = (await all) as { data: Json[] }
    const recovered = recoveries.map(({ webhook_id: id }) => id as string)
    expect(recovered).to.have.members(webhooks.map(({ id }) => id))
    for (const recovery of recoveries) expect(recovery.status).to.equal('done')
    expect(await refusalOf(recover(failing))).to.match(/^CONFLICT: .*endpoint_failing.*test event.*--force/)
    expect(await recover(failing, '--force')).to.include({ waits_for: 'endpoint_failing' })
  })

  it('show their progress as a bar, or as a number while the total is not known', () => {
    expect(progressBar(50, 200)).to.equal('[#######-----------------------]  25 %  50 of 200')
    expect(progressBar(7, null)).to.equal('7 of a number that is not counted')
  })

  it('are told what is wrong', async () => {
    const since = `webhook recover --id ${(await newWebhook(0)).id} --since`
    for (const [text, refusal] of [
      ['recovery show --id rec_1', /^NOT_FOUND: Recovery not found\.$/],
      [`${since} today`, /^VALIDATION_ERROR: --since/],
      [`${since} 2026-01-01 --status all`, /^VALIDATION_ERROR: --status must be one of/],
    ] as const)
      expect(await refusalOf(cli(text)), text).to.match(refusal)
    expect(await usageError('recovery list')).to.equal('Give either --company or --webhook.')
    const atOnce = await usageError('recover --all-failed-since 2026-01-01 --at-once 0')
    expect(atOnce).to.match(/^--at-once must be/)
  })
})
