import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { insertUser } from '../../src/db/user/users.ts'
import { newId } from '../../src/domain/ids.ts'
import { createKey, fillKey, holdCalls, useBrowser, storeSecret } from '../support/browser.ts'
import { make } from '../support/console.ts'

const DAY_MS = 86_400_000

/** Fills in the form of a new key and submits it. @returns the whole key */
async function makeKey(page: Page, name: string): Promise<string> {
  await page.getByRole('link', { name: 'Create API key' }).first().click()
  await fillKey(page, name)
  await createKey(page)
  return (await page.getByTestId('secret').textContent()) ?? ''
}

describe('API keys in the console', function () {
  this.timeout(120_000)
  const use = useBrowser()

  it('are made, shown once, kept nowhere in the page, show what they are used for, and rotate', async () => {
    const { page, open } = await use.admin()
    await open('/keys')
    const key = await makeKey(page, 'Sync')
    expect(key).to.match(/^salesdata_live_[A-Za-z0-9]{32}$/)
    await storeSecret(page)
    await page.getByRole('heading', { name: 'Sync' }).waitFor()
    expect(await page.content()).to.not.include(key)
    expect(page.url()).to.not.include(key.slice(24))
    const answer = await fetch(`${use.console.stack.api.url}/api-v1-webhooks`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    expect(answer.status).to.equal(200)
    await page.getByText('GET /api-v1-webhooks').waitFor({ timeout: 40_000 })
    await page.getByRole('region', { name: 'Latest addresses' }).getByText('127.0.0.1').waitFor()
    await page.getByRole('group', { name: /1 request in the last 30 days.* 4xx: 0, with 5xx: 0/ }).waitFor()

    // Use the list of active keys, because the rotation removes the old key from it.
    await open('/keys?state=active')
    await page.getByRole('button', { name: 'Actions for Sync' }).click()
    await page.getByRole('menuitem', { name: 'Rotate' }).click()
    await page.getByRole('radio', { name: '1 hour', exact: true }).check()
    await page.getByText('The new key does not expire.').waitFor()
    await page.getByLabel('The new key expires').selectOption('30 days')
    await page.getByText('The new key expires at').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    const newKey = await page.getByTestId('secret').textContent()
    expect(newKey).to.not.equal(key)
    await page.locator('table').getByText(newKey!.slice(0, 24)).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Close, I do not need it' }).click()
    await page.getByText('The old key still works').waitFor()
    await page.getByRole('link', { name: 'Look at the old key' }).click()
    await page.getByText(/^works until .*\d:\d\d/).waitFor()
  })

  it('are made for anybody of the company, with an allowlist whose faults are named by line, and that can be tried', async () => {
    const { page, open, client } = await use.admin()
    const { companyId, stack } = use.console
    const ids = Array.from({ length: 201 }, () => newId('user'))
    for (const [number, id] of ids.entries()) {
      const named = { email: `colleague${number}@example.com`, name: `Colleague ${number}`, passwordHash: '' }
      const user = { id, companyId, role: 'member', allowedScopes: [], leftAt: null, ...named } as const
      await insertUser(stack.db, { ...user, createdAt: new Date(Date.now() - DAY_MS - number * 1_000) })
    }
    await open('/keys/new')
    await page.getByRole('radio', { name: 'Personal' }).check()
    await page.getByLabel('Owner').selectOption(ids.at(-1)!)
    await fillKey(page, 'Theirs')
    const allowlist = page.getByLabel('IP allowlist')
    await allowlist.fill('10.0.0.0/8\n10.0.0.0/99')
    await page.getByText(/^Line 2: /).waitFor()
    await allowlist.fill('10.0.0.0/8')
    await page.getByLabel('Test an address').fill('10.1.2.3')
    await page.getByText('would be let in').waitFor()
    await page.getByLabel('Test an address').fill('192.0.2.1')
    await page.getByText('would be refused').waitFor()
    await page.getByRole('button', { name: /^Add my address/ }).click()
    expect(await allowlist.inputValue()).to.equal('10.0.0.0/8\n127.0.0.1')
    await createKey(page)
    await storeSecret(page)
    await page.getByRole('heading', { name: 'Theirs' }).waitFor()
    const [key] = (await client.call('GET', '/keys?q=Theirs')).body.data
    expect(key.user_name).to.equal('Colleague 200')
  })

  it('that are rotated from a filtered list cannot be left before the new key is there, and show it when the row of the old one has gone', async () => {
    const { page, open, client } = await use.admin()
    const key = { name: 'Filtered', type: 'Shared', scopes: ['read:all'] }
    const { prefix } = await make(client, '/keys', key)
    await open('/keys?state=active')
    await page.getByRole('button', { name: 'Actions for Filtered' }).click()
    await page.getByRole('menuitem', { name: 'Rotate' }).click()
    const answer = await holdCalls(page, /\/rotate$/)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Rotate' }).click()
    await dialog.locator('button:disabled', { hasText: 'Cancel' }).waitFor()
    await page.keyboard.press('Escape')
    await page.mouse.click(2, 2)
    await dialog.getByRole('button', { name: 'Close', disabled: true }).waitFor()
    answer()
    await page.getByText(prefix as string).waitFor({ state: 'detached' })
    expect(await page.getByTestId('secret').count()).to.equal(1)
  })

  // decision: Changes of a key at the same time
  it('keep what somebody else changed: a form shows what is saved now, and replaces it only when it is sent again', async () => {
    const { page, open, client } = await use.admin()
    const key = {
      name: 'Shared out',
      type: 'Shared',
      scopes: ['read:deals'],
      ip_allowlist: ['10.0.0.1', '10.0.0.2'],
    }
    const { id } = await make(client, '/keys', key)
    const path = `/keys/${id as string}`
    const saved = async () => (await client.call('GET', path)).body.data
    const overtakenBy = async (fields: object, button: string, now: string) => {
      await client.call('PATCH', path, fields)
      await page.getByRole('button', { name: button }).click()
      await page.getByText('Changed meanwhile').waitFor()
      await page.getByText(`Saved now: ${now}. Save again to replace it.`).waitFor()
      expect(await saved()).to.deep.include(fields)
      await page.getByRole('button', { name: button }).click()
    }
    await open(`${path}?tab=allowlist`)
    await page.getByLabel('IP allowlist').fill('10.0.0.1\n10.0.0.2\n10.0.0.3')
    await overtakenBy({ ip_allowlist: ['10.0.0.1'] }, 'Save allowlist', '10.0.0.1')
    await page.getByText('The allowlist is saved.').waitFor()
    expect((await saved()).ip_allowlist).to.deep.equal(['10.0.0.1', '10.0.0.2', '10.0.0.3'])
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('read:contacts').check()
    await overtakenBy({ scopes: ['read:tasks'] }, 'Save', 'read:tasks')
    await page.getByText('The key is saved.').waitFor()
    expect((await saved()).scopes).to.have.members(['read:deals', 'read:contacts'])
  })

  it('show the list that was saved while the key is read again', async () => {
    const { page, open, client } = await use.admin()
    const key = { name: 'Steady', type: 'Shared', scopes: ['read:all'], ip_allowlist: ['10.0.0.1'] }
    const { id } = await make(client, '/keys', key)
    await open(`/keys/${id as string}?tab=allowlist`)
    const list = page.getByLabel('IP allowlist')
    const reads = Promise.withResolvers<undefined>()
    await list.fill('10.0.0.2')
    await page.route(/\/keys\/key_[^/]+$/, (route) =>
      route.request().method() === 'GET' ? reads.promise.then(() => route.continue()) : route.continue(),
    )
    const save = page.getByRole('button', { name: 'Save allowlist' })
    await save.click()
    await page.getByText('The allowlist is saved.').waitFor()
    expect(await list.inputValue()).to.equal('10.0.0.2')
    reads.resolve(undefined)
    await save.and(page.locator(':disabled')).waitFor()
    expect(await list.inputValue()).to.equal('10.0.0.2')
  })

  it('say in words of the form that an expiry is past, and offer no other try once a key is not there any more', async () => {
    const { page, open, client } = await use.admin()
    await open('/keys/new')
    await fillKey(page, 'Too late')
    await page.getByLabel('Expires').selectOption('custom')
    await page.getByPlaceholder('yyyy-mm-dd').fill('2020-01-31')
    await createKey(page)
    await page.getByText('Last moment (your time) must be in the future.').first().waitFor()
    const { id } = await make(client, '/keys', { name: 'Goes', type: 'Shared', scopes: ['read:all'] })
    await open(`/keys/${id as string}?tab=settings`)
    await page.getByRole('button', { name: 'Revoke' }).waitFor()
    await use.console.stack.db('api_keys').where({ id }).delete()
    await page.getByLabel('Name').fill('Gone')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('API key not found').nth(1).waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).to.equal(0)
  })

  it('that somebody else revoked meanwhile say so, and are shown as they are now', async () => {
    const { page, open, client } = await use.admin()
    const { id } = await make(client, '/keys', { name: 'Overtaken', type: 'Shared', scopes: ['read:all'] })
    await open(`/keys/${id as string}`)
    await page.getByRole('button', { name: 'Rotate' }).click()
    await make(client, `/keys/${id as string}/revoke`, {})
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Rotate' }).click()
    await dialog.getByText('Not possible at the moment').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('.status', { hasText: 'revoked' }).waitFor()
    expect(await page.getByRole('button', { name: 'Rotate' }).count()).to.equal(0)
  })
})
