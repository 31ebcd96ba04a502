import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { databaseNow } from '../../src/db/clock.ts'
import { toHealthRow } from '../../src/db/webhook/health-rows.ts'
import { COMMAND_LINE } from '../../src/domain/actor.ts'
import { HEALTHY } from '../../src/domain/webhook/health.ts'
import { suspendCompany } from '../../src/operations/companies.ts'
import { faultsInBothSchemes, faultsOfWidth, focused, tabTo } from '../support/accessibility.ts'
import { useBrowser, whenShown, type ConsolePage } from '../support/browser.ts'
import { makeFailedDeliveries, makeWebhook, type ConsoleWebhook } from '../support/console.ts'
import type { Json } from '../support/tenants.ts'

const SINCE = '2020-01-01T00:00:00Z'

describe('recoveries in the console', function () {
  this.timeout(120_000)
  // Few slots, so that a recovery never has all of its deliveries under way at once.
  const use = useBrowser({ environment: { WEBHOOK_CONCURRENCY: '2' } })

  const dialogOf = (page: Page) => page.getByRole('dialog')
  /** A member's page at a webhook with `count` failed deliveries. Its endpoint answers 2xx again. */
  async function failed(count: number): Promise<ConsolePage & { webhook: ConsoleWebhook }> {
    const { client } = await use.console.person('admin')
    const webhook = await makeFailedDeliveries(use.console, client, count)
    const shown = await use.pageOf(await use.console.person('member'))
    await shown.open(`/webhooks/${webhook.id}`)
    return { ...shown, webhook }
  }
  const openDialog = (page: Page) => page.getByRole('button', { name: 'Recover', exact: true }).click()
  const expectNoFaults = async (page: Page) =>
    expect([...(await faultsInBothSchemes(page)), ...(await faultsOfWidth(page))]).to.deep.equal([])

  it('bring what failed: how many there are, how far it is, and that it is done', async () => {
    const { page, webhook } = await failed(3)
    await openDialog(page)
    await dialogOf(page).getByText('3 deliveries failed for good in this time.').waitFor()
    await expectNoFaults(page)
    expect(await dialogOf(page).getByLabel('Created').inputValue()).to.equal('failing')
    await dialogOf(page).getByRole('button', { name: 'Recover 3 deliveries' }).click()
    const bar = dialogOf(page).getByRole('progressbar', { name: 'How much of the recovery is queued' })
    await bar.waitFor()
    await dialogOf(page)
      .getByRole('status')
      .filter({ hasText: 'The recovery is done: 3 of 3 queued.' })
      .waitFor({ state: 'attached' })
    expect(await bar.getAttribute('value')).to.equal('3')
    expect(use.console.stack.receiver.requestsTo(webhook.path)).to.have.length(6)
    await dialogOf(page).getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('region', { name: 'Deliveries' }).getByText('delivered').nth(2).waitFor()
  })

  it('are stopped in the middle, by keyboard alone: what was not queued stays failed', async () => {
    const { page, webhook } = await failed(12)
    use.console.stack.receiver.behave(webhook.path, { hang: true })
    await whenShown(page, 'Select undelivered')
    await tabTo(page, /^Recover$/)
    await page.keyboard.press('Enter')
    await dialogOf(page).getByText('12 deliveries failed for good in this time.').waitFor()
    await tabTo(page, /^Failed deliveries/)
    await tabTo(page, /^Recover 12 deliveries/)
    await page.keyboard.press('Enter')
    await dialogOf(page)
      .getByText(/^[4-9] of 12 queued$/)
      .waitFor()
    await tabTo(page, /^Stop/)
    await page.keyboard.press('Enter')
    await dialogOf(page).getByText('Somebody stopped it.').waitFor()
    const [row] = await use.console.stack.db('recoveries').where({ webhook_id: webhook.id })
    expect(row).to.include({ state: 'cancelled', stopped_reason: 'requested' })
    expect(row.queued).to.be.below(12)
    expect(await dialogOf(page).getByRole('button', { name: 'Stop' }).count()).to.equal(0)
    await page.keyboard.press('Escape')
    await dialogOf(page).waitFor({ state: 'detached' })
    expect(await focused(page)).to.equal('Recover')
  })

  // decision: One recovery of a webhook
  it('run one at a time: who begins another one, or comes later, sees the one that runs', async () => {
    const { page, open, webhook } = await failed(2)
    const { client } = await use.console.person('admin')
    await openDialog(page)
    const begin = dialogOf(page).getByRole('button', { name: 'Recover 2 deliveries' })
    await begin.waitFor()
    await client.call('PATCH', `/webhooks/${webhook.id}`, { is_active: false })
    const { body } = await client.call('POST', `/webhooks/${webhook.id}/recover`, { since: SINCE })
    expect(body.data).to.include({ status: 'queued', waits_for: 'webhook_inactive' })
    await begin.click()
    await dialogOf(page).getByText('0 of 2 queued', { exact: true }).waitFor()
    await expectNoFaults(page)
    for (let tab = 0; tab < 2; tab++) {
      await dialogOf(page).getByText('This webhook has a recovery already').waitFor()
      await dialogOf(page).getByText('0 of 2 queued', { exact: true }).waitFor()
      await dialogOf(page).getByText('The webhook is inactive: the recovery waits').waitFor()
      await open(`/webhooks/${webhook.id}`)
      await openDialog(page)
    }
    await client.call('PATCH', `/webhooks/${webhook.id}`, { is_active: true })
    await dialogOf(page).getByText('2 of 2 queued', { exact: true }).waitFor()
    await dialogOf(page).getByText('done', { exact: true }).waitFor()
  })

  // decision: A recovery of a failing endpoint
  it('of a failing endpoint offer a test event first, and begin all the same', async () => {
    const { page, webhook } = await failed(1)
    const { db } = use.console.stack
    const now = await databaseNow(db)
    const health = { ...HEALTHY, consecutiveFailures: 20, probeAt: new Date(now.getTime() + 60_000) }
    // Set the time of the change too, because the worker detects the change by it.
    const row = toHealthRow(webhook.id, health, now)
    await db('webhook_health').insert(row).onConflict('webhook_id').merge()
    await openDialog(page)
    await dialogOf(page).getByRole('button', { name: 'Recover 1 delivery' }).click()
    await dialogOf(page).getByText('The endpoint fails', { exact: true }).waitFor()
    await dialogOf(page).getByRole('button', { name: 'Recover all the same' }).click()
    await dialogOf(page).getByText('waits for the next try of a single delivery').waitFor()
    await dialogOf(page).getByRole('button', { name: 'Stop' }).click()
    await dialogOf(page).getByText('Somebody stopped it.').waitFor()
  })

  it('are listed with who began them, why they stopped and what they wait for; while the company is suspended nobody stops or begins one', async () => {
    const { client, id: adminId } = await use.console.person('admin')
    const webhook = await makeWebhook(use.console, client, { is_active: false })
    const { page, open } = await use.pageOf(await use.console.person('member'))
    await open(`/webhooks/${webhook.id}?tab=recoveries`)
    await page.getByText('Nothing was recovered yet').waitFor()
    await page.getByText(`/api-v1-webhooks/${webhook.id}/recover`).waitFor()
    const begin = async (): Promise<Json> =>
      (await client.call('POST', `/webhooks/${webhook.id}/recover`, { since: SINCE })).body.data
    const { id } = await begin()
    await client.call('DELETE', `/webhooks/${webhook.id}/recoveries/${id as string}`)
    await use.console.stack.db('recoveries').where({ id }).update({ stopped_reason: 'endpoint_failing' })
    await begin()
    await page.reload()
    const rows = page.getByRole('region', { name: 'Recoveries' }).locator('tbody').getByRole('row')
    await rows.nth(1).getByText('the endpoint is not back yet').waitFor()
    const user = await use.console.stack.db('users').where({ id: adminId }).first<{ name: string }>()
    await rows.nth(1).getByText(user.name).waitFor()
    await rows.nth(0).getByText('queued', { exact: true }).waitFor()
    await rows.nth(0).getByRole('button', { name: 'Stop' }).click()
    await rows.nth(0).getByText('stopped', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Stop' }).count()).to.equal(0)
    await begin()
    await suspendCompany(use.console.deps, COMMAND_LINE, use.console.companyId)
    await page.reload()
    await page.getByText('The company is suspended: the recovery waits').waitFor()
    for (const name of ['Recover', 'Stop'])
      expect(await page.getByRole('button', { name, exact: true }).count(), name).to.equal(0)
  })

  it('have a window of one’s own, in the zone of the reader and in UTC', async () => {
    const { page, webhook } = await failed(1)
    const long = new Date(Date.now() - 5 * 86_400_000)
    await use.console.stack.db('deliveries').where({ webhook_id: webhook.id }).update({ created_at: long })
    await openDialog(page)
    await dialogOf(page).getByText('Nothing failed for good in this time.').waitFor()
    const isDisabled = await dialogOf(page).getByRole('button', { name: 'Recover 0 deliveries' }).isDisabled()
    expect(isDisabled).to.equal(true)
    await dialogOf(page).getByLabel('Created').selectOption('own')
    await dialogOf(page).getByLabel('From (your time)', { exact: true }).fill('')
    await dialogOf(page).getByText('Say when it begins.').waitFor()
    await expectNoFaults(page)
    await dialogOf(page).getByLabel('From (your time)', { exact: true }).fill('2020-01-01T00:00')
    await dialogOf(page)
      .getByText(/^(2019-12-31|2020-01-01) .* UTC$/)
      .waitFor()
    await dialogOf(page).getByText('1 delivery failed for good in this time.').waitFor()
    await dialogOf(page).getByLabel('Missed events').check()
    await dialogOf(page).getByText('No event was missed in this time.').waitFor()
  })
})
