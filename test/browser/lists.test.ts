import { expect } from 'chai'
import { accessibilityFaults } from '../support/accessibility.ts'
import { holdCalls, useBrowser, storeSecret } from '../support/browser.ts'
import { make, makeWebhook } from '../support/console.ts'
import { makeNotice } from '../support/notices.ts'
import { untilSo } from '../support/poll.ts'
import { answer } from '../support/raw-endpoint.ts'
import { useEndpointsOn } from '../support/stack-endpoints.ts'

describe('lists and figures of the console', function () {
  this.timeout(60_000)
  const use = useBrowser()
  const endpoints = useEndpointsOn(use.console)

  it('switch a webhook off and on again, find webhooks by their name, clear the search with the filters, and lead from a page past the last to the last', async () => {
    const { page, open, client } = await use.admin()
    const { id } = await makeWebhook(use.console, client, { name: 'switched' })
    await makeWebhook(use.console, client, { name: 'apples' })
    await open('/webhooks')
    const active = page.getByRole('switch', { name: 'switched is active' })
    await active.press('Space')
    await page.getByText('The webhook is inactive.').waitFor()
    expect((await client.call('GET', `/webhooks/${id}`)).body.data.is_active).to.equal(false)
    await page.getByRole('button', { name: 'Undo' }).click()
    await untilSo(async () => (await client.call('GET', `/webhooks/${id}`)).body.data.is_active as boolean)
    await page.getByLabel('Search').fill('APP')
    await page.getByRole('link', { name: 'switched' }).waitFor({ state: 'detached' })
    expect(page.url()).to.include('q=APP')
    await page.getByLabel('Search').fill('cherries')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('link', { name: 'switched' }).waitFor()
    expect(await page.getByLabel('Search').inputValue()).to.equal('')
    await open('/webhooks?page=7')
    await page.getByRole('link', { name: 'switched' }).waitFor()
    expect(new URL(page.url()).searchParams.get('page')).to.equal('1')
  })

  it('let a key be disabled from its row by keyboard, give the focus back, and keep the table until that of another filter has come', async () => {
    const { page, open, client } = await use.admin()
    await make(client, '/keys', { name: 'Sync', scopes: ['read:all'], type: 'Shared' })
    await open('/keys')
    await page.getByRole('button', { name: 'Actions for Sync' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Edit' }).waitFor()
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await page.getByRole('menuitem', { name: 'Disable' }).press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator(':focus[aria-label="Actions for Sync"]').waitFor()
    await page.getByRole('button', { name: 'Actions for Sync' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Disable' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await page.getByText('The key is disabled.').waitFor()
    await page.getByRole('table').getByText('disabled').waitFor()
    const letGo = await holdCalls(page, /\/keys\?.*q=other/)
    const asked = page.waitForRequest(/q=other/)
    await page.getByLabel('Search').fill('other')
    await asked
    expect(await page.getByRole('link', { name: 'Sync' }).count()).to.equal(1)
    letGo()
    await page.getByText('Nothing matches these filters.').waitFor()
  })

  // decision: Unsaved forms
  it('ask before a link, the back button or a tab leaves a form that is not saved', async () => {
    const { page, open, client } = await use.admin()
    const asked = page.getByRole('dialog', { name: 'Leave without saving?' })
    await open('/webhooks')
    await page.getByRole('link', { name: 'Create webhook' }).first().click()
    await page.getByLabel(/^Name/).fill('Half done')
    await page.getByRole('link', { name: 'Overview' }).click()
    await asked.getByRole('button', { name: 'Cancel' }).click()
    expect(await page.getByLabel(/^Name/).inputValue()).to.equal('Half done')
    await page.goBack()
    await asked.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    const { id } = await make(client, '/keys', { name: 'Tabbed', type: 'Shared', scopes: ['read:all'] })
    await open(`/keys/${id as string}?tab=settings`)
    await page.getByLabel(/^Name/).fill('Other')
    await page.getByRole('tab', { name: 'History' }).click()
    await asked.getByRole('button', { name: 'Leave' }).click()
    await page.getByText('created the key Tabbed').waitFor()
  })

  it('show in the audit only what is of a person, by the name in the rows, typed or pressed', async () => {
    const { page, open, client } = await use.admin()
    const { id } = await make(client, '/keys', { name: 'Audited', type: 'Shared', scopes: ['read:all'] })
    await open('/audit')
    const row = page.getByRole('row').filter({ hasText: 'created the key Audited' })
    const name = (await row.getByRole('button').first().textContent()) ?? ''
    await page.getByLabel('Who', { exact: true }).fill('Nobody at all')
    await page.getByLabel('Who', { exact: true }).blur()
    await page.getByText('Choose one of the names offered').waitFor()
    await page.getByLabel('Who', { exact: true }).fill(name)
    await page.waitForURL(/actor=usr_/)
    const ofTarget = (url: URL) => url.searchParams.get('target') === id
    await row.getByRole('button', { name: 'Audited' }).click()
    await page.waitForURL(ofTarget)
    await page.getByRole('button', { name: 'Remove the filter Object' }).click()
    await page.waitForURL((url) => !url.searchParams.has('target'))
    await page.getByLabel('Object', { exact: true }).fill('Audited')
    await page.waitForURL(ofTarget)
    // The old list stays until the new one has loaded.
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' })
    expect(await page.getByRole('row').count()).to.equal(2)
  })

  it('load a channel anew that somebody else changed while its form was open', async () => {
    const { page, open, client } = await use.admin()
    const { id } = await make(client, '/channels', {
      kind: 'slack',
      name: 'Alerts',
      target: 'https://slack.invalid/T1',
    })
    await open('/channels')
    await page.getByRole('button', { name: 'Change' }).click()
    await client.call('PATCH', `/channels/${id as string}`, { name: 'Night shift' })
    await page.getByLabel('Name').fill('Day shift')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Changed meanwhile').waitFor()
    await page.getByRole('heading', { name: 'Night shift' }).waitFor()
    await page.getByRole('button', { name: 'Load what is saved now' }).click()
    await page.getByRole('dialog').getByText('Change Night shift').waitFor()
    await page.getByLabel('Name').fill('Day shift')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Day shift is changed.').waitFor()
  })

  it('name what needs attention, and lead there', async () => {
    const { page, open, client } = await use.admin()
    const { id } = await makeWebhook(use.console, client, { name: 'broken' })
    const { db } = use.console.stack
    const tenant = { companyId: use.console.companyId, environment: 'live' } as const
    await makeNotice(db, tenant, 'webhook_failing', { targetId: id, at: new Date(), error: 'http_500' })
    const expires_at = new Date(Date.now() + 3 * 86_400_000).toISOString()
    await make(client, '/keys', { name: 'Soon over', scopes: ['read:all'], type: 'Shared', expires_at })
    await open('/overview')
    await page.getByRole('link', { name: 'Soon over' }).waitFor()
    await page.getByRole('link', { name: 'All notices' }).click()
    await page.getByRole('heading', { name: 'Notices' }).waitFor()
    await page.getByLabel('Kind').selectOption('key_expires_in_1_day')
    await page.getByText('Nothing matches these filters').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText(/^broken began to fail at \d+:\d\d.*: 500$/).waitFor()
    await page.getByRole('link', { name: 'broken' }).click()
    await page.getByRole('heading', { name: 'broken' }).waitFor()
  })

  // decision: Notices that are done
  it('make notices done for the user and for all, and open again; the badge of the side bar falls at once', async () => {
    const { db } = use.console.stack
    const tenant = { companyId: use.console.companyId, environment: 'live' } as const
    for (let made = 0; made < 3; made++) await makeNotice(db, tenant, 'webhook_gone')
    const { page, open } = await use.admin()
    const counted = (words: string) => page.getByRole('link', { name: `Notices ${words}` }).waitFor()
    const click = (name: string | RegExp) => page.getByRole('button', { name }).first().click()
    await open('/notices')
    await counted('3 open notices')
    await click(/^Done: /)
    await counted('2 open notices')
    await page.locator('tr button:focus').waitFor()
    await click('Undo')
    await counted('3 open notices')
    await click(/^Done for all: /)
    await counted('2 open notices')
    await click('Mark all as done')
    await page.getByText('Nothing needs you').waitFor()
    await page
      .getByText(/open notice/)
      .first()
      .waitFor({ state: 'detached' })
    await page.getByRole('group', { name: 'State' }).getByText('Done').click()
    await page.getByText(/^Done for all by Person \d+, /).waitFor()
    expect(await page.getByText('Done by you').count()).to.equal(2)
    await click(/^Reopen: /)
    await counted('1 open notice')
  })

  // decision: Channels in the console
  it('of channels show the real answer to a test, the secret of a new endpoint once, and remove what is confirmed', async () => {
    const slack = await endpoints.start((socket, index) =>
      socket.write(index === 0 ? answer(404, 'no_service') : answer(200, 'ok')),
    )
    const { page, open } = await use.admin()
    await open('/notices')
    await page.getByRole('link', { name: 'Notice channels' }).click()
    const dialog = page.getByRole('dialog')
    const add = async (kind: string) => {
      await page.getByRole('button', { name: 'Add channel' }).click()
      await dialog.getByText(kind, { exact: true }).click()
      await dialog.getByLabel(/^URL/).fill(slack.url)
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    }
    await add('Slack')
    await page.getByRole('button', { name: /^Test/ }).click()
    await page.getByText('did not arrive').waitFor()
    await page.getByText('HTTP 404: no_service').first().waitFor()
    await page.getByRole('button', { name: /^Test/ }).click()
    await page.getByText(/^The test to .* arrived$/).waitFor()
    await page.getByText(/^last test: /).waitFor()
    await page.getByRole('button', { name: /^Change/ }).click()
    await dialog.getByLabel('Name').fill('On call')
    await dialog.getByRole('switch', { name: 'Switched on' }).uncheck({ force: true })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('switched off', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Remove On call' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Nobody is told of notices yet').waitFor()
    await add('HTTPS endpoint')
    expect(await page.getByTestId('secret').textContent()).to.match(/^whsec_/)
    await storeSecret(page)
    await page.getByText('nothing arrived yet').waitFor()
    expect(await page.getByText('whsec_').count()).to.equal(0)
  })
})
