import { expect } from 'chai'
import { useBrowser } from '../support/browser.ts'
import { make } from '../support/console-objects.ts'
import { PASSWORD } from '../support/console.ts'
import { clientOf } from '../support/tenants.ts'

const KEY = { name: 'Mine', type: 'Personal', scopes: ['read:all', 'write:contacts'] }

describe('users in the console', function () {
  this.timeout(60_000)
  const use = useBrowser()

  /** Whether the api accepts a key. */
  const works = async (key: string) =>
    (await clientOf(use.console.stack.api.url, key)('GET', '/api-v1-webhooks')).status === 200

  it('are added by an admin and sign in, and a weak password is refused at its field', async () => {
    const { page, open, id } = await use.admin()
    await open('/keys')
    const email = `new.${id}@example.com`
    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByRole('link', { name: 'Add user' }).click()
    await page.getByLabel(/^Name/).fill('Grace')
    await page.getByLabel(/^Email/).fill(email)
    await page.getByLabel(/^First password/).fill('Password123')
    await page.getByRole('checkbox', { name: 'write:contacts' }).check()
    await page.getByRole('button', { name: 'Add user' }).click()
    await page.getByText('Please correct the form').waitFor()
    await page.getByLabel(/^First password/).fill(PASSWORD)
    await page.getByRole('button', { name: 'Add user' }).click()
    await page.getByRole('heading', { name: 'Grace' }).waitFor()
    const theirs = await use.page()
    await theirs.open('/keys/new')
    await theirs.signIn(email)
    expect(await theirs.page.getByRole('checkbox', { name: 'write:contacts' }).isEnabled()).to.equal(true)
    expect(await theirs.page.getByRole('checkbox', { name: 'write:deals' }).isEnabled()).to.equal(false)
  })

  it('go on with the password that an admin set, after their sessions ended', async () => {
    const member = await use.console.person('member')
    const theirs = await use.pageOf(member)
    await theirs.open('/webhooks')
    await theirs.page.getByText('There is none here yet').waitFor()
    const { page, open } = await use.admin()
    await open(`/users/${member.id}`)
    await page.getByRole('button', { name: 'Reset password' }).click()
    await page
      .getByRole('dialog')
      .getByLabel(/^New password/)
      .fill('another pass phrase')
    await page.getByRole('button', { name: 'Set password', exact: true }).click()
    await page.getByText('The password is set.').waitFor()
    await theirs.page.getByRole('link', { name: 'Deliveries' }).click()
    const dialog = theirs.page.getByRole('dialog')
    await dialog.getByText('You were signed out').waitFor()
    await dialog.getByLabel(/^Password/).fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.getByText('That did not match').waitFor()
    await dialog.getByLabel(/^Password/).fill('another pass phrase')
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await theirs.page.getByText('Nothing was sent yet').waitFor()
  })

  it('are removed by who types the email: their session ends and their keys are revoked', async () => {
    const member = await use.console.person('member')
    const { key } = await make(member.client, '/keys', { ...KEY, scopes: ['read:all'] })
    const theirs = await use.pageOf(member)
    await theirs.open('/webhooks')
    await theirs.page.getByText('There is none here yet').waitFor()
    const { page, open } = await use.admin()
    await open(`/users/${member.id}`)
    await page.getByRole('button', { name: 'Remove' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('button', { name: 'Remove' }).isDisabled()).to.equal(true)
    await dialog.getByLabel(`Type ${member.email} to confirm`).fill(member.email)
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('The user is removed, and 1 key revoked.').waitFor()
    expect(await page.getByText(member.email).count()).to.equal(0)
    expect(await works(key)).to.equal(false)
    await theirs.page.getByRole('link', { name: 'Deliveries' }).click()
    await theirs.page.getByRole('dialog').getByText('You were signed out').waitFor()
    await theirs.page.getByRole('button', { name: 'Leave this page' }).click()
    await theirs.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  it('are not changed by a member: nothing leads there, and its pages say at once that the role may not', async () => {
    const admin = await use.console.person('admin')
    const { page, open } = await use.pageOf(await use.console.person('member'))
    await open(`/users/${admin.id}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByRole('link', { name: 'Users' }).count()).to.equal(0)
    for (const name of ['Save', 'Remove', 'Reset password'])
      expect(await page.getByRole('button', { name }).count(), name).to.equal(0)
    for (const path of ['/users/new', '/webhooks/new', '/webhooks/whk_1/edit']) {
      await open(path)
      await page.getByText('Your role does not allow this').waitFor()
      await page.getByText('ask an admin').waitFor()
      expect(await page.getByRole('textbox').count(), path).to.equal(0)
    }
  })
})
