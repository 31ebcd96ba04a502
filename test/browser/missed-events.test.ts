import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from '../support/accessibility.ts'
import { useBrowser, type ConsolePage } from '../support/browser.ts'
import { makeKey, makeWebhook, type ConsoleWebhook, type Person } from '../support/console.ts'
import { createContact } from '../support/tenants.ts'

describe('the events that a pause missed, in the console', function () {
  this.timeout(120_000)
  const use = useBrowser()

  /** Opens the page of an admin at an inactive webhook that missed two events. */
  async function paused(): Promise<ConsolePage & Person & { webhook: ConsoleWebhook }> {
    const shown = await use.admin()
    const webhook = await makeWebhook(use.console, shown.client)
    await shown.client.call('PATCH', `/webhooks/${webhook.id}`, { is_active: false })
    const key = await makeKey(use.console)
    for (let number = 0; number < 2; number++) await createContact(key)
    return { ...shown, webhook }
  }

  /** Accepts the offer, and waits until the missed events have arrived. */
  async function recoverTwo(page: Page, webhook: ConsoleWebhook): Promise<void> {
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 events were missed.').waitFor()
    await dialog.getByText('Inactive from').waitFor()
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await dialog.getByRole('button', { name: 'Recover 2 events' }).click()
    await dialog.getByText('2 of 2 queued', { exact: true }).waitFor()
    await dialog.getByText('done', { exact: true }).waitFor()
    expect(use.console.stack.receiver.requestsTo(webhook.path)).to.have.length(2)
  }

  // decision: What an activation offers
  it('are offered when the webhook is activated on its page, come with one click, and are not spoken of when there are none', async () => {
    const { page, open, client, webhook } = await paused()
    await open(`/webhooks/${webhook.id}`)
    await page.getByRole('button', { name: 'Activate' }).click()
    await recoverTwo(page, webhook)
    await client.call('PATCH', `/webhooks/${webhook.id}`, { is_active: false })
    await open(`/webhooks/${webhook.id}`)
    const answered = page.waitForResponse(/\/missed$/)
    await page.getByRole('button', { name: 'Activate' }).click()
    expect((await (await answered).json()).data.recoverable.total).to.equal(0)
    await page.getByRole('button', { name: 'Activate' }).waitFor({ state: 'detached' })
    await open(`/webhooks/${webhook.id}?activated=now`)
    await page.waitForURL((url) => url.search === '')
    expect(await page.getByRole('dialog').count()).to.equal(0)
  })

  it('are offered by the switch in the list, also when the webhook leaves it, and by the form', async () => {
    const { page, open, webhook, client } = await paused()
    await open('/webhooks?is_active=false')
    await page.getByRole('switch', { name: 'Contacts is active' }).click()
    await page.getByText('Nothing matches these filters.').waitFor()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Not now' }).click()
    await dialog.waitFor({ state: 'detached' })
    await client.call('PATCH', `/webhooks/${webhook.id}`, { is_active: false })
    for (let number = 0; number < 2; number++) await createContact(await makeKey(use.console))
    const events = use.console.stack.db('events').where({ company_id: use.console.companyId })
    await events.orderBy('created_at').limit(2).delete()
    await open(`/webhooks/${webhook.id}/edit`)
    await page.getByRole('checkbox', { name: 'Active' }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await recoverTwo(page, webhook)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    expect(page.url()).to.match(new RegExp(`/webhooks/${webhook.id}$`))
  })
})
