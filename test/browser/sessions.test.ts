import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { createKey, fillKey, giveCredentials, signOut, useBrowser } from '../support/browser.ts'
import { PASSWORD } from '../support/console.ts'

/** Gives the password in the dialog that asks whoever was signed out. */
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

  it('that has expired asks for the password in the middle of a form, also twice, and goes on', async () => {
    const { page, open } = await use.admin()
    await open('/keys/new')
    await fillKey(page, 'Expired')
    await use.console.stack.db.raw('UPDATE console_sessions SET expires_at = NOW(3) WHERE company_id = ?', [
      use.console.companyId,
    ])
    await createKey(page)
    await signInAgain(page, 'wrong')
    await page.getByText('That did not match').waitFor()
    await signInAgain(page)
    await page.getByTestId('secret').waitFor()
    expect(await keyNames()).to.deep.equal(['Expired'])
  })

  it('that is ended stays ended for who says no, and the form is there still', async () => {
    const { page, open } = await use.admin()
    await open('/keys/new')
    await fillKey(page, 'Put off')
    await use.console.stack.db.raw('DELETE FROM console_sessions WHERE company_id = ?', [
      use.console.companyId,
    ])
    await createKey(page)
    await page.getByText('You were signed out').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('You are signed out').waitFor()
    expect(await page.getByLabel(/^Name/).inputValue()).to.equal('Put off')
    await createKey(page)
    await signInAgain(page)
    await page.getByTestId('secret').waitFor()
  })

  it('that begins anew in another tab, with a new token, disturbs no form', async () => {
    const { page, open, email } = await use.admin()
    await open('/keys/new')
    await fillKey(page, 'New token')
    const other = await page.context().newPage()
    await other.goto(page.url())
    await signOut(other)
    await giveCredentials(other, email)
    await other.getByRole('navigation', { name: 'Screens' }).waitFor()
    await createKey(page)
    await page.getByTestId('secret').waitFor()
    expect(await keyNames()).to.deep.equal(['New token'])
  })

  it('of somebody else in another tab does nothing in their name', async () => {
    const { page, open } = await use.admin()
    const colleague = await use.console.user('admin')
    await open('/keys/new')
    await fillKey(page, 'Not theirs')
    const other = await page.context().newPage()
    await other.goto(page.url())
    await signOut(other)
    await giveCredentials(other, colleague.email)
    await other.getByRole('navigation', { name: 'Screens' }).waitFor()
    await createKey(page)
    await page.getByText('Somebody else is signed in now').waitFor()
    await page.getByText(`${colleague.email} signed in meanwhile`).waitFor()
    expect(await keyNames()).to.deep.equal([])
    expect(await page.getByLabel(/^Name/).inputValue()).to.equal('Not theirs')
  })

  it('whose token is lost on the way fetches another, and says so if that is lost too', async () => {
    const { page, open } = await use.admin()
    await open('/keys/new')
    await fillKey(page, 'Without token')
    let refused = 0
    let lost = 2
    await page.route('**/live/keys', async (route) => {
      const { 'x-csrf-token': token, ...headers } = route.request().headers()
      expect(token).to.have.length.above(10)
      if (lost-- <= 0) return route.continue()
      const response = await route.fetch({ headers })
      if (response.status() === 403) refused += 1
      return route.fulfill({ response })
    })
    await createKey(page)
    await page.getByText('This page is out of date').waitFor()
    expect([refused, await keyNames()]).to.deep.equal([2, []])
    lost = 1
    await createKey(page)
    await page.getByTestId('secret').waitFor()
    expect([refused, await keyNames()]).to.deep.equal([3, ['Without token']])
  })
})
