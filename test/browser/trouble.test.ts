import { expect } from 'chai'
import { useBrowser } from '../support/browser.ts'
import { PASSWORD } from '../support/console.ts'

describe('trouble in the console', function () {
  this.timeout(60_000)
  const use = useBrowser()

  it('is said when the password is wrong, and goes away with the right one', async () => {
    const { email } = await use.console.user('admin')
    const { page, open, signIn } = await use.page()
    await open('/keys')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel(/^Password/).fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('That did not match').waitFor()
    await signIn(email)
  })

  it('loses nothing typed when the session ends in the middle of a form', async () => {
    const { page, open } = await use.admin()
    await open('/keys/new')
    await page.getByLabel(/^Name/).fill('Half written')
    await page.getByRole('checkbox', { name: /^read:all/ }).check()
    await use.console.stack.db.raw('DELETE FROM console_sessions WHERE company_id = ?', [
      use.console.companyId,
    ])
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('You were signed out').waitFor()
    await page
      .getByRole('dialog')
      .getByLabel(/^Password/)
      .fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    expect(await page.getByTestId('secret').textContent()).to.match(/^salesdata_live_/)
  })

  it('asks for the password again where that is needed, and goes on', async () => {
    const { page, open } = await use.admin()
    await use.console.stack.db.raw(
      'UPDATE console_sessions SET password_at = password_at - INTERVAL 1 HOUR WHERE company_id = ?',
      [use.console.companyId],
    )
    await open('/keys/new')
    await page.getByLabel(/^Name/).fill('Asked')
    await page.getByRole('checkbox', { name: /^read:all/ }).check()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('Confirm that it is you').waitFor()
    await page
      .getByRole('dialog')
      .getByLabel(/^Password/)
      .fill(PASSWORD)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByTestId('secret').waitFor()
  })

  it('waits for a lost connection and keeps what was typed', async () => {
    const { page, open } = await use.admin()
    await open('/keys/new')
    await page.getByLabel(/^Name/).fill('Kept')
    await page.getByRole('checkbox', { name: /^read:all/ }).check()
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('No connection to the service', { exact: false }).waitFor()
    await page.context().setOffline(false)
    await page.getByText('No connection to the service', { exact: false }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByTestId('secret').waitFor()
  })
})
