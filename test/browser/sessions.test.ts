import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { createKey, fillKey, giveCredentials, signOut, useBrowser, storeSecret } from '../support/browser.ts'
import { PASSWORD } from '../support/console.ts'

/** Enters the password in the dialog that a signed-out user gets. */
async function signInAgain(page: Page, password = PASSWORD): Promise<void> {
  const dialog = page.getByRole('dialog').filter({ hasText: 'You were signed out' })
  await dialog.getByLabel(/^Password/).fill(password)
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
}

describe('a session of the console', function () {
  this.timeout(60_000)
  const use = useBrowser()

  const keyNames = async (): Promise<string[]> =>
    use.console.stack.db('api_keys').where({ company_id: use.console.companyId }).pluck('name')

  it('that has ended asks for the password in the middle of a form, also twice, stays ended for who says no, and goes on', async () => {
    const { page, open } = await use.admin()
    await open('/keys/new')
    await fillKey(page, 'Expired')
    await use.console.stack.db.raw('UPDATE console_sessions SET expires_at = NOW(3) WHERE company_id = ?', [
      use.console.companyId,
    ])
    await createKey(page)
    await page.getByText('You were signed out').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('You are signed out').waitFor()
    expect(await page.getByLabel(/^Name/).inputValue()).to.equal('Expired')
    await createKey(page)
    await signInAgain(page, 'wrong')
    await page.getByText('That did not match').waitFor()
    await signInAgain(page)
    await page.getByTestId('secret').waitFor()
    expect(await keyNames()).to.deep.equal(['Expired'])
  })

  it('that begins anew in another tab disturbs no form, and that of somebody else there does nothing in their name', async () => {
    const { page, open, visit, email } = await use.admin()
    const colleague = await use.console.user('admin')
    await open('/keys/new')
    await fillKey(page, 'New token')
    const other = await page.context().newPage()
    await other.goto(page.url())
    const signInAs = async (who: string) => {
      await signOut(other)
      await giveCredentials(other, who)
      await other.getByRole('navigation', { name: 'Screens' }).waitFor()
    }
    await signInAs(email)
    await createKey(page)
    await storeSecret(page)
    await page.getByRole('heading', { name: 'New token' }).waitFor()
    await visit('/keys/new')
    await fillKey(page, 'Not theirs')
    await signInAs(colleague.email)
    await createKey(page)
    await page.getByText('Somebody else is signed in now').waitFor()
    await page.getByText(`${colleague.email} signed in meanwhile`).waitFor()
    expect(await keyNames()).to.deep.equal(['New token'])
    expect(await page.getByLabel(/^Name/).inputValue()).to.equal('Not theirs')
  })

  it('that has ended shows the sign-in in place of an export of the audit, which a browser would drop without a word', async () => {
    const { page, open } = await use.admin()
    await open('/audit')
    const exportCsv = page.getByRole('button', { name: 'Export CSV' })
    const [file] = await Promise.all([page.waitForEvent('download'), exportCsv.click()])
    expect(file.suggestedFilename()).to.match(/\.csv$/)
    await use.console.stack.db('console_sessions').where({ company_id: use.console.companyId }).delete()
    await exportCsv.click()
    await page.getByLabel('Email').waitFor()
  })

  it('that somebody leaves shows nothing of theirs to who signs in next in the tab', async () => {
    const { page, open } = await use.admin()
    await open('/account')
    await page.getByText('now, here').waitFor()
    await use.console.stack.db('console_sessions').where({ company_id: use.console.companyId }).delete()
    await page.getByRole('button', { name: 'Set up an authenticator' }).click()
    await page.getByRole('button', { name: 'Leave this page' }).click()
    await page.route('**/console/api/sessions', (route) => route.abort())
    await giveCredentials(page, (await use.console.user('member')).email)
    await page.getByText('Profile').waitFor()
    expect(await page.getByText('now, here').count()).to.equal(0)
  })
})
