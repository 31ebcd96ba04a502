import { expect } from 'chai'
import { COMMAND_LINE } from '../../src/domain/actor.ts'
import { createUser } from '../../src/operations/user/members.ts'
import { createKey, fillKey, giveCredentials, useBrowser } from '../support/browser.ts'
import { make, PASSWORD } from '../support/console.ts'

describe('companies and environments in the console', function () {
  this.timeout(60_000)
  const use = useBrowser()

  /** The sign-in page of a user of two companies, with the second company chosen. */
  async function chooseSecond() {
    const { email } = await use.console.user('admin')
    const { companyId } = await use.console.foreign()
    const same = { email, name: 'The same', password: PASSWORD, role: 'admin' } as const
    await createUser(use.console.deps, companyId, COMMAND_LINE, same)
    const shown = await use.page()
    await shown.page.goto('/console/')
    await giveCredentials(shown.page, email)
    await shown.page.getByRole('radio', { name: 'Another company' }).check()
    return { ...shown, companyId }
  }

  it('are asked for at the sign-in of who is in several', async () => {
    const { page, open, companyId } = await chooseSecond()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(new URL(page.url()).pathname).to.equal(`/console/c/${companyId}/live/overview`)
    await open('/webhooks')
    await page.getByText('This page belongs to another company').waitFor()
    await page.getByRole('link', { name: 'Go to your own company' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  it('keep live and sandbox apart in two tabs, and sandbox unmistakable', async () => {
    const { page, open, client } = await use.admin()
    await make(client, '/keys', { name: 'Of live', type: 'Shared', scopes: ['read:all'] })
    const sandbox = await page.context().newPage()
    await sandbox.goto(`/console/c/${use.console.companyId}/test/keys`)
    await sandbox.getByText(/^SANDBOX/).waitFor()
    await sandbox.getByText('No API keys yet').waitFor()
    await sandbox.getByRole('link', { name: 'Create API key' }).first().click()
    await fillKey(sandbox, 'Of sandbox')
    await createKey(sandbox)
    expect(await sandbox.getByTestId('secret').textContent()).to.match(/^salesdata_test_/)
    await open('/keys')
    await page.getByRole('link', { name: 'Of live' }).waitFor()
    expect(await page.getByRole('link', { name: 'Of sandbox' }).count()).to.equal(0)
    expect(await page.getByText(/^SANDBOX/).count()).to.equal(0)
    await page.getByRole('link', { name: 'Sandbox', exact: true }).click()
    await page.getByText(/^SANDBOX/).waitFor()
    await page.getByRole('link', { name: 'Of sandbox' }).waitFor()
    expect(await page.getByRole('link', { name: 'Of live' }).count()).to.equal(0)
    await page.goBack()
    await page.getByText(/^SANDBOX/).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Of live' }).waitFor()
  })
})
