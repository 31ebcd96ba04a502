import { expect } from 'chai'
import { COMMAND_LINE } from '../../src/domain/actor.ts'
import { requireSecondFactor } from '../../src/operations/companies.ts'
import { holdCalls, useBrowser, storeSecret } from '../support/browser.ts'
import { make, tokenOf, PASSWORD } from '../support/console.ts'
import { clientOf } from '../support/tenants.ts'

const KEY = { name: 'Mine', type: 'Personal', scopes: ['read:all'] }

describe('users in the console', function () {
  this.timeout(120_000)
  const use = useBrowser()

  /** Whether the api accepts the key. */
  const works = async (key: string) =>
    (await clientOf(use.console.stack.api.url, key)('GET', '/api-v1-webhooks')).status === 200

  // decision: Invitations
  it('are invited by a link that is shown once, can be made anew and is not lost to a second press, and choose name and password themselves', async () => {
    const { page, open, id } = await use.admin()
    await open('/keys')
    const email = `new.${id}@example.com`
    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByRole('link', { name: 'Invite user' }).click()
    await page.getByLabel(/^Email/).fill(email)
    await page.getByRole('checkbox', { name: 'write:contacts' }).check()
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await storeSecret(page)
    await page.getByRole('heading', { name: 'Invitations' }).waitFor()
    const answer = await holdCalls(page, /\/resend$/)
    await page.getByRole('button', { name: 'New link' }).click()
    await page.locator('button:disabled', { hasText: 'Withdraw' }).waitFor()
    answer()
    const token = tokenOf((await page.getByTestId('secret').textContent())!)

    const theirs = await use.page()
    await theirs.page.goto(`${use.console.stack.api.url}/console/join#${token}`)
    await theirs.page.getByRole('heading', { name: 'Join Test company' }).waitFor()
    expect(theirs.page.url()).to.not.include(token)
    await theirs.page.getByLabel(/^Email/).fill('eve@example.com')
    await theirs.page.getByLabel(/^Your name/).fill('Grace')
    await theirs.page.getByLabel(/^Your password/).fill('Password123')
    await theirs.page.getByRole('button', { name: 'Join' }).click()
    await theirs.page.getByText('was made for another email address').waitFor()
    await theirs.page.getByLabel(/^Email/).fill(email)
    await theirs.page.getByRole('button', { name: 'Join' }).click()
    await theirs.page.getByText('one of the most common passwords').waitFor()
    await theirs.page.getByLabel(/^Your password/).fill(PASSWORD)
    await theirs.page.getByRole('button', { name: 'Join' }).click()
    await theirs.page.getByRole('heading', { name: 'Overview' }).waitFor()
    await theirs.open('/keys/new')
    expect(await theirs.page.getByRole('checkbox', { name: 'write:contacts' }).isEnabled()).to.equal(true)
    expect(await theirs.page.getByRole('checkbox', { name: 'write:deals' }).isEnabled()).to.equal(false)
  })

  it('choose another password by the link that an admin made, and are removed by who types the email: their sessions end and their keys are revoked', async () => {
    const member = await use.console.person('member')
    const { key } = await make(member.client, '/keys', KEY)
    const theirs = await use.pageOf(member)
    await theirs.open('/webhooks')
    await theirs.page.getByText('No webhooks yet').waitFor()
    const { page, open } = await use.admin()
    await open(`/users/${member.id}`)
    await page.getByRole('button', { name: 'Reset password' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
    const token = tokenOf((await page.getByTestId('secret').textContent())!)
    await theirs.page.getByRole('link', { name: 'Deliveries' }).click()
    await theirs.page.getByRole('dialog').getByText('You were signed out').waitFor()
    const again = await use.page()
    await again.page.goto(`${use.console.stack.api.url}/console/join#wrong`)
    await again.page.getByRole('link', { name: 'To the sign-in' }).waitFor()
    await again.page.goto(`${use.console.stack.api.url}/console/join#${token}`)
    await again.page.getByLabel(/^Email/).fill(member.email)
    expect(again.page.url()).to.not.include(token)
    await again.page.getByLabel(/^Your password/).fill('another pass phrase')
    await again.page.getByRole('button', { name: 'Set password' }).click()
    await again.page.getByRole('heading', { name: 'Overview' }).waitFor()
    await again.open('/account')
    await again.page.getByText('now, here').waitFor()

    await storeSecret(page)
    await page.getByRole('button', { name: 'Remove' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('button', { name: 'Remove' }).isDisabled()).to.equal(true)
    await dialog.getByLabel(`Type ${member.email} to confirm`).fill(member.email)
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('The user is removed, and 1 key revoked.').waitFor()
    expect(await page.getByText(member.email).count()).to.equal(0)
    expect(await works(key)).to.equal(false)
    await again.page.getByRole('link', { name: 'Deliveries' }).click()
    await again.page.getByRole('dialog').getByText('You were signed out').waitFor()
    await again.page.getByRole('button', { name: 'Leave this page' }).click()
    await again.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  // decision: A second factor for everybody
  it('without a second factor are led to set one up, and can do nothing else', async () => {
    const member = await use.console.person('member')
    const { page, open } = await use.pageOf(member)
    await open('/webhooks')
    await page.getByText('No webhooks yet').waitFor()
    await requireSecondFactor(use.console.deps, use.console.companyId, COMMAND_LINE, true)
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByRole('heading', { name: 'One step more' }).waitFor()
    expect(await page.getByRole('link', { name: 'Deliveries' }).count()).to.equal(0)
    await page.getByRole('button', { name: 'Set up an authenticator' }).click()
    await page.getByLabel(/^Code/).waitFor()
    await requireSecondFactor(use.console.deps, use.console.companyId, COMMAND_LINE, false)
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
