import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { ReceivedRequest } from '../../scripts/receiver/receiver.ts'
import { accessibilityFaults } from '../support/accessibility.ts'
import { chooseAction, useBrowser } from '../support/browser.ts'
import { make, makeKey, makeWebhook, type ConsoleWebhook } from '../support/console.ts'
import { createContact } from '../support/tenants.ts'

describe('one delivery in the console', function () {
  this.timeout(60_000)
  const use = useBrowser()

  /** Opens the page of a successful delivery, and returns the request that arrived. */
  async function delivered(
    name: string,
    headers = {},
  ): Promise<{ page: Page; webhook: ConsoleWebhook; received: ReceivedRequest }> {
    const { page, open, client } = await use.admin()
    const webhook = await makeWebhook(use.console, client, { headers })
    await createContact(await makeKey(use.console), name)
    const received = await use.console.stack.receiver.next(webhook.path)
    const { body } = await client.call('GET', `/webhooks/${webhook.id}/deliveries`)
    await open(`/deliveries/${webhook.id}/${body.data[0].id as string}`)
    await page.getByRole('heading', { name: 'Payload' }).waitFor()
    return { page, webhook, received }
  }

  it('has its signature checked against the secret, which does not leave the page', async () => {
    const { page, webhook, received } = await delivered('Ada')
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
    await page.getByRole('button', { name: 'Verify a signature' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Signing secret/).fill(webhook.secret)
    await dialog.getByLabel(/^webhook-timestamp/).fill(String(received.headers['webhook-timestamp']))
    await dialog.getByLabel(/^webhook-signature/).fill(String(received.headers['webhook-signature']))
    await dialog.getByRole('button', { name: 'Verify' }).click()
    await dialog.getByText('The signature is right').waitFor()
    await dialog.getByLabel(/^webhook-timestamp/).fill(String(Math.floor(Date.now() / 1_000) + 60))
    await dialog.getByRole('button', { name: 'Verify' }).click()
    await dialog.getByText('The signature is wrong for this secret').waitFor()
    expect(sent.filter((each) => each.includes(webhook.secret.slice(6)))).to.deep.equal([])
  })

  it('shows the request and the answer; its ids are copied, and a command from which a shell reads the request, without secret values', async () => {
    const { page, webhook, received } = await delivered(`It's "$(id)" \\ \`id\` ünï`, {
      authorization: 'Bearer hidden',
    })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    const command = await page.evaluate<string>('navigator.clipboard.readText()')
    const script = `curl() { printf '%s\\0' "$@"; }\n${command}`
    const { stdout } = await promisify(execFile)('sh', ['-c', script])
    const words = stdout.split('\0')
    expect(words).to.include(use.console.stack.receiver.url(webhook.path))
    expect(words).to.include(`webhook-id: ${String(received.headers['webhook-id'])}`)
    expect(words).to.include('authorization: <your value>')
    expect(words[words.indexOf('--data-binary') + 1]).to.equal(received.body.toString())
    expect(command).to.not.include('hidden')
    await page.getByRole('button', { name: 'Copy event id' }).click()
    await page.getByRole('button', { name: 'Copied event id' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(received.headers['webhook-id'])
    await page.getByRole('region', { name: 'Body of the response to attempt 1' }).getByText('"ok"').waitFor()
    await page.getByRole('tab', { name: 'Raw' }).click()
    const raw = page.getByRole('region', { name: 'Payload as it is sent' })
    expect(await raw.textContent()).to.equal(received.body.toString())
    await page.getByRole('tab', { name: 'Request' }).click()
    const request = page.getByRole('region', { name: 'Request', exact: true })
    expect(await request.textContent()).to.include(`webhook-id: ${String(received.headers['webhook-id'])}`)
  })

  it('is sent once more as a new one, and the two lead to each other and to their event, which is sent by hand to a webhook that did not get it', async () => {
    const { page, webhook, received } = await delivered('Ada')
    const original = new URL(page.url()).pathname
    await page.getByRole('button', { name: 'Resend' }).click()
    await page.getByText('Resent as a new delivery', { exact: true }).waitFor()
    const again = await use.console.stack.receiver.next(webhook.path)
    expect(again.headers['webhook-id']).to.equal(received.headers['webhook-id'])
    await page.getByRole('link', { name: 'Look at the new delivery' }).click()
    await page.waitForURL((url) => url.pathname !== original)
    await page.getByText('Resent from', { exact: true }).waitFor()
    await page.getByRole('link', { name: /^the event of del_/ }).click()
    await page.waitForURL((url) => url.pathname === original)

    const id = String(received.headers['webhook-id'])
    const person = await use.admin()
    const tasks = await makeWebhook(use.console, person.client, { name: 'Tasks', events: ['task.created'] })
    await page.locator('aside a[href*="/events/"]').click()
    await page.waitForURL(new RegExp(`/events/${id}$`))
    await page.getByText('by a change of a record').waitFor()
    await page.getByRole('link', { name: 'test key' }).waitFor()
    await page.getByText('2 deliveries').waitFor()
    await page.getByRole('button', { name: 'Send to a webhook' }).click()
    const dialog = page.getByRole('dialog', { name: 'Send this event to “Tasks”' })
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await dialog.getByRole('button', { name: 'Send' }).click()
    expect((await use.console.stack.receiver.next(tasks.path)).headers['webhook-id']).to.equal(id)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('sent by hand').waitFor()
    await page.getByRole('link', { name: 'Tasks' }).click()
    await page.getByRole('heading', { name: 'Delivery of contact.created' }).waitFor()
  })

  it('is not there any more for who still looks at its deleted webhook', async () => {
    const { page, open, client } = await use.admin()
    const webhook = await makeWebhook(use.console, client)
    const { delivery_id: id } = await make(client, `/webhooks/${webhook.id}/test`, {})
    await open(`/webhooks/${webhook.id}`)
    await page.getByRole('button', { name: 'More actions' }).waitFor()
    await client.call('DELETE', `/webhooks/${webhook.id}`)
    await chooseAction(page, 'Deactivate')
    // This is sooner than the page's own next read of the webhook.
    await page.getByText('It may have been deleted').first().waitFor({ timeout: 5_000 })
    await open(`/deliveries/${webhook.id}/${id as string}`)
    await page.getByText('It may have been deleted').first().waitFor()
  })
})
