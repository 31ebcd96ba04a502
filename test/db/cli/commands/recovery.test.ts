import { expect } from 'chai'
import { findProgress, progressBar } from '../../../../src/cli/progress.ts'
import { runCommand, usageErrorOf } from '../../../support/operator-commands.ts'
import { until } from '../../../support/poll.ts'
import { refusalOf } from '../../../support/refusals.ts'
import type { Json } from '../../../support/tenants.ts'
import { useRecoveries } from '../../../support/use-recoveries.ts'

const FIELDS = [
  ...['company_id', 'environment', 'id', 'webhook_id', 'recovers', 'status', 'stopped_reason', 'total'],
  ...['queued', 'since', 'until', 'created_at', 'ended_at'],
]

describe('the commands for recoveries', () => {
  const use = useRecoveries()
  const { its } = use
  const { create, insertFailed, page, settle } = use
  const cli = (...args: string[]): Promise<Json> => runCommand(its.deps, ...args)
  const sinceStart = () => ['--since', use.minute(0).toISOString()]
  const newWebhook = async (failed: number) => {
    const { id } = (await create()).webhook
    return { id, deliveries: await insertFailed(id, failed) }
  }
  /** Does the recovery of a webhook as a worker does. */
  async function carryOut(webhookId: string, deliveries: readonly string[]): Promise<void> {
    const { id } = await until(
      () => use.db()('recoveries').where({ running_webhook_id: webhookId }).first() as Promise<Json>,
      (row) => row !== undefined,
    )
    await page(id as string)
    await settle(deliveries, true)
    await page(id as string)
  }

  it('begin one, show and list it, and cancel it once', async () => {
    const { id } = await newWebhook(2)
    const started = await cli('webhook', 'recover', '--id', id, ...sinceStart())
    expect(started).to.have.all.keys(FIELDS)
    expect(started).to.include({ status: 'running', total: 2, recovers: 'failed', webhook_id: id })
    expect(await cli('recovery', 'show', '--id', started.id)).to.deep.equal(started)
    for (const of of [
      ['--webhook', id],
      ['--company', use.tenant().companyId, '--env', 'live'],
    ]) {
      const { data } = await cli('recovery', 'list', ...of)
      expect(data.map((recovery: Json) => recovery.id)).to.deep.equal([started.id])
    }
    for (let time = 0; time < 2; time++) {
      const cancelled = await cli('recovery', 'cancel', '--id', started.id)
      expect(cancelled).to.include({ status: 'cancelled', stopped_reason: 'requested' })
    }
  })

  it('wait for the end of it, and say when it was cancelled', async () => {
    const { id, deliveries } = await newWebhook(2)
    const waiting = cli('webhook', 'recover', '--id', id, ...sinceStart(), '--wait')
    await carryOut(id, deliveries)
    expect(await waiting).to.include({ status: 'done', queued: 2, total: 2 })
    const refused = refusalOf(cli('webhook', 'recover', '--id', id, ...sinceStart(), '--wait'))
    const running = await until(
      () => use.db()('recoveries').where({ running_webhook_id: id }).first() as Promise<Json>,
      (row) => row !== undefined,
    )
    await cli('recovery', 'cancel', '--id', running.id)
    expect(await refused).to.match(/^CONFLICT: rec_\S+ was cancelled after 0 deliveries: requested/)
  })

  it('recover all webhooks with failed deliveries, no more at once than wanted, and no inactive one', async () => {
    const webhooks = [await newWebhook(1), await newWebhook(2), await newWebhook(1)]
    await newWebhook(0)
    const inactive = await newWebhook(1)
    await use.db()('webhooks').where({ id: inactive.id }).update({ is_active: false })
    const company = ['--company', use.tenant().companyId]
    const since = ['--all-failed-since', use.minute(0).toISOString()]
    const all = cli('recover', ...since, ...company, '--at-once', '2')
    const running = () =>
      use.db()('recoveries').where({ company_id: use.tenant().companyId, state: 'running' }) as Promise<
        Json[]
      >
    await until(running, (rows) => rows.length === 2)
    const left = [...webhooks]
    while (left.length > 0) {
      const rows = await until(running, (found) => found.length > 0)
      expect(rows).to.have.length.at.most(2)
      const [webhook] = left.splice(
        left.findIndex(({ id }) => id === rows[0].webhook_id),
        1,
      )
      await carryOut(webhook!.id, webhook!.deliveries)
    }
    const recoveries = (await all) as Json[]
    expect(recoveries.map(({ webhook_id: id }) => id as string).sort()).to.deep.equal(
      webhooks.map(({ id }) => id).sort(),
    )
    for (const recovery of recoveries) {
      expect(recovery).to.have.all.keys(FIELDS)
      expect(recovery.status).to.equal('done')
    }
  })

  it('are told what is wrong', async () => {
    const { id } = await newWebhook(0)
    expect(await refusalOf(cli('recovery', 'show', '--id', 'rec_1'))).to.equal(
      'NOT_FOUND: Recovery not found.',
    )
    expect(await refusalOf(cli('webhook', 'recover', '--id', id, '--since', 'today'))).to.match(
      /^VALIDATION_ERROR: --since/,
    )
    const status = cli('webhook', 'recover', '--id', id, ...sinceStart(), '--status', 'all')
    expect(await refusalOf(status)).to.match(/^VALIDATION_ERROR: --status must be one of/)
    expect(await usageErrorOf(its.deps, 'recovery', 'list')).to.equal('Give either --company or --webhook.')
    const since = ['--all-failed-since', '2026-01-01']
    expect(await usageErrorOf(its.deps, 'recover', ...since, '--at-once', '0')).to.match(/^--at-once must be/)
  })
})

describe('the progress of a recovery', () => {
  it('is a bar, or a number while the total is not known', () => {
    expect(progressBar(50, 200)).to.equal('[#######-----------------------]  25 %  50 of 200')
    expect(progressBar(0, 0)).to.equal(`[${'#'.repeat(30)}] 100 %  0 of 0`)
    expect(progressBar(7, null)).to.equal('7 of a number that is not counted')
  })

  it('goes to a terminal alone', () => {
    for (const isTTY of [true, false]) {
      const shown: string[] = []
      const write = (text: unknown) => shown.push(String(text)) > 0
      const progress = findProgress({ isTTY, write })
      progress.show('a')
      progress.end()
      expect(shown).to.deep.equal(isTTY ? ['\r\u001b[Ka', '\n'] : [])
    }
  })
})
