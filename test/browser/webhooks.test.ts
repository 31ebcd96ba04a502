import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { Receiver } from '../../scripts/receiver/receiver.mjs'
import { faultsInBothSchemes, focused } from '../support/accessibility.ts'
import { useBrowser } from '../support/browser.ts'
import { makeWebhook } from '../support/console-objects.ts'

/** Creates a webhook to a path of the receiver, which verifies its signatures. */
async function createWebhook(page: Page, receiver: Receiver, path: string): Promise<void> {
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('link', { name: 'Create webhook' }).first().click()
  await page.getByLabel(/^Name/).fill('Contacts')
  await page.getByLabel(/^URL/).fill(receiver.url(path))
  await page.getByRole('checkbox', { name: /^contact.created/ }).check()
  await page.getByLabel('Automatic retries').selectOption('0')
  await page.getByRole('button', { name: 'Create webhook' }).click()
  receiver.trust(path, (await page.getByTestId('secret').textContent()) ?? '')
  await page.getByLabel('I have stored the secret').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('heading', { name: 'Contacts' }).waitFor()
}

describe('webhooks in the console', function () {
  this.timeout(60_000)
  const use = useBrowser()

  it('are created and tested; a test that fails says why and what to do, and is retried', async () => {
    const { page, open, visit } = await use.admin()
    const { receiver } = use.console.stack
    await open('/keys')
    await createWebhook(page, receiver, '/walk')
    const webhook = new URL(page.url()).pathname.replace(/^.*\/webhooks/, '/webhooks')
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByText(/It arrived: response 200/).waitFor()
    await page.getByRole('link', { name: 'Look at this delivery' }).click()
    await page.getByText('delivered').first().waitFor()
    await page.getByText('Attempt 1').waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Choose and edit a test event' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Event type').selectOption('deal.stage_changed')
    const content = dialog.getByLabel('Payload')
    const example = await content.inputValue()
    await content.fill(example.replace('"new"', '"by hand'))
    await dialog.getByRole('button', { name: 'Send test event' }).click()
    await dialog.getByText(/^Line \d+, column \d+: this is no JSON/).waitFor()
    expect(await focused(page)).to.match(/^Payload/)
    expect(await faultsInBothSchemes(page)).to.deep.equal([])
    await content.fill(example.replace('"new"', '"by hand"'))
    await dialog.getByRole('button', { name: 'Send test event' }).click()
    await dialog.getByText(/It arrived: response 200/).waitFor()
    await dialog.getByRole('link', { name: 'Look at this delivery' }).click()
    await page.getByRole('heading', { name: 'deal.stage_changed' }).waitFor()
    await page.getByText('"by hand"').waitFor()

    receiver.behave('/walk', { status: 500 })
    await visit(webhook)
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByText(/The endpoint answered 500 after/).waitFor()
    await page.getByRole('link', { name: 'Look at this delivery' }).click()
    await page.getByText('The endpoint answered 500: it failed to handle the request.').first().waitFor()
    await page.getByText("Look in your server's log").first().waitFor()
    await page.getByRole('button', { name: 'Retry now' }).click()
    await page.getByText('Attempt 2 failed').waitFor()
    await page.getByText('Attempt 2', { exact: true }).waitFor()
  })

  it('compare both versions when somebody else saved meanwhile', async () => {
    const first = await use.admin()
    const { id } = await makeWebhook(use.console, first.client)
    const second = await use.admin()
    for (const { open } of [first, second]) await open(`/webhooks/${id}/edit`)
    for (const [{ page }, name] of [
      [second, 'Theirs'],
      [first, 'Mine'],
    ] as const) {
      await page.getByLabel(/^Name/).fill(name)
      await page.getByRole('button', { name: 'Save' }).click()
    }
    const { page } = first
    await page.getByText('Somebody else changed this webhook').waitFor()
    await page.getByText('Theirs: Theirs').waitFor()
    await page.getByRole('button', { name: 'Save this choice' }).click()
    await page.getByRole('heading', { name: 'Mine' }).waitFor()
  })
})
