import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { Receiver } from '../../scripts/receiver/receiver.ts'
import { accessibilityFaults, faultsInBothSchemes, focused } from '../support/accessibility.ts'
import { useBrowser, storeSecret } from '../support/browser.ts'
import { makeKey, makeWebhook } from '../support/console.ts'

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
  await storeSecret(page)
  await page.getByRole('heading', { name: 'Contacts' }).waitFor()
}

describe('webhooks in the console', function () {
  this.timeout(120_000)
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

  it('have a form that says at each field what it lacks and goes to the first, refuses while something is typed, with the reason, and saves a filter that is built in rows, tried on real events and corrected as JSON', async () => {
    const { page, open, client } = await use.admin()
    const key = await makeKey(use.console)
    for (const stage of ['won', 'lost', 'won'])
      await key.request('POST', '/api-v1-events', { event: 'deal.created', data: { stage } })
    await open('/webhooks/new')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    const name = page.getByRole('textbox', { name: /^Name/ })
    await name.and(page.locator('[aria-invalid=true]:focus')).waitFor()
    const described = `#${(await name.getAttribute('aria-describedby')) ?? ''}`
    expect(await page.locator(described).textContent()).to.equal('Name is required.')
    for (const text of ['URL is required.', 'Choose at least one event.'])
      await page.getByText(text).waitFor()
    await name.fill('Whole')
    await page.getByText('Name is required.').waitFor({ state: 'detached' })
    await page.getByLabel(/^URL/).fill('nowhere')
    await page.getByText('URL must begin with https:// and name a host.').waitFor()
    await page.getByLabel(/^URL/).fill('https://192.168.1.1/hook')
    await page.getByText('The URL must point to a public address.').waitFor()
    await page.getByLabel(/^URL/).fill('https://hooks.example.com/')
    await page.getByRole('button', { name: 'Add header' }).click()
    await page.getByRole('textbox', { name: 'Header 1' }).fill('Host')
    await page.getByText('is reserved', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Remove header 1' }).click()

    await name.fill('Won deals')
    await page.getByLabel(/^URL/).fill(use.console.stack.receiver.url('/ok'))
    const family = page.getByRole('checkbox', { name: 'All of deal' })
    await family.check()
    expect(await page.getByRole('checkbox', { name: /^deal\./, checked: true }).count()).to.equal(4)
    await page.getByText('Gets 4 of 13 event types.').waitFor()
    await family.uncheck()
    await page.getByRole('checkbox', { name: /^deal.created/ }).check()
    expect(await page.locator('input:indeterminate').count()).to.equal(1)
    await page.getByRole('button', { name: 'Add condition' }).click()
    await page.getByLabel('Field 1').fill('data.stage')
    await page.getByLabel('Value 1').fill('won')
    await page.getByText('2 of the last 3 events match.').waitFor()
    await page.getByText('data.stage is "lost"; it must be "won".').waitFor()
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Edit as JSON' }).click()
    expect(await page.getByLabel('Field 1').count()).to.equal(0)
    const json = page.getByLabel('Filter as JSON')
    await json.fill('{"data.stage": {"$is": "won"}}')
    await page.getByText('"filter.data.stage.$is" is no operator of a field').waitFor()
    await json.fill('{"data.stage": {"$in": ["won"]}}')
    await page.getByRole('button', { name: 'Edit in rows' }).click()
    expect(await json.count()).to.equal(0)
    expect(await page.getByLabel('Comparison 1').inputValue()).to.equal('$in')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await storeSecret(page)
    await page.getByRole('heading', { name: 'Won deals' }).waitFor()
    const { body } = await client.call('GET', '/webhooks')
    expect(body.data[0].filter).to.deep.equal({ 'data.stage': { $in: ['won'] } })
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
