import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { giveCredentials, signOut, useBrowser, storeSecret } from '../support/browser.ts'
import { codeOf } from '../support/totp.ts'

/** Turns on the second factor on the account page. @returns its secret and the recovery codes */
async function switchOn(page: Page): Promise<{ secret: string; recoveryCodes: string[] }> {
  await page.getByRole('button', { name: 'Set up an authenticator' }).click()
  await page.getByRole('img', { name: 'QR code for your authenticator' }).waitFor()
  const secret = (await page.locator('code.secret').textContent()) ?? ''
  await page.getByLabel(/^Code/).fill('000000')
  await page.getByRole('button', { name: 'Switch on' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel(/^Code/).fill(codeOf(secret))
  await page.getByRole('button', { name: 'Switch on' }).click()
  return { secret, recoveryCodes: await storeCodes(page) }
}

/** Reads the recovery codes, checks that Escape does not close their dialog, and confirms that they are stored. */
async function storeCodes(page: Page): Promise<string[]> {
  const codes = ((await page.getByTestId('secret').textContent()) ?? '').split('\n')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Stay' }).click()
  await storeSecret(page)
  await page.getByTestId('secret').waitFor({ state: 'detached' })
  return codes
}

/** Signs out, and signs in again with email and password. */
async function signInAnew(page: Page, email: string): Promise<void> {
  await signOut(page)
  await giveCredentials(page, email)
}

async function giveCode(page: Page, code: string): Promise<void> {
  await page.getByLabel(/^Code of your authenticator/).fill(code)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

describe('the second factor in the console', function () {
  this.timeout(60_000)
  const use = useBrowser()

  it('is switched on by a code, asked for at the sign-in, replaced by a recovery code, and switched off', async () => {
    const { page, open, email } = await use.admin()
    const screens = page.getByRole('navigation', { name: 'Screens' })
    await use.console.client().signIn(email)
    await open('/account')
    await page.getByRole('button', { name: 'End all others' }).waitFor()
    const { secret, recoveryCodes } = await switchOn(page)
    await page.getByRole('button', { name: 'End all others' }).waitFor({ state: 'detached' })
    expect(recoveryCodes).to.have.length(10)
    await page.getByText('10 recovery codes left.').waitFor()
    expect(await page.content()).to.not.include(recoveryCodes[0])

    await signInAnew(page, email)
    await giveCode(page, '000000')
    await page.getByText('That did not match').waitFor()
    await giveCode(page, codeOf(secret, 1))
    await screens.waitFor()

    await signInAnew(page, email)
    await giveCode(page, recoveryCodes[0] ?? '')
    await page.getByText('9 recovery codes left.').waitFor()

    await page.getByRole('button', { name: 'Switch off' }).click()
    await page.getByText('Then your password alone opens your account.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click()
    await page.getByRole('button', { name: 'Set up an authenticator' }).waitFor()
    await signInAnew(page, email)
    await screens.waitFor()
  })

  it('says that wrong codes have locked it, at the sign-in, to its user and to an admin, who unlocks it', async () => {
    const { page, open, email, id } = await use.admin()
    await open('/account')
    const { recoveryCodes } = await switchOn(page)
    const lock = () => use.console.stack.db('users').where({ id }).update({ totp_locked_at: new Date() })
    await lock()
    await page.reload()
    await page.getByText('Somebody gave your password and ten wrong codes').waitFor()
    const other = await use.admin()
    await other.open(`/users/${id}`)
    await other.page.getByRole('button', { name: 'Unlock second factor' }).click()
    await other.page.getByRole('dialog').getByRole('button', { name: 'Unlock' }).click()
    await other.page.getByText('The second factor is unlocked.').waitFor()
    await lock()
    await signInAnew(page, email)
    await page.getByText('Your second factor is locked').waitFor()
    await giveCode(page, recoveryCodes[0] ?? '')
    await page.getByText('9 recovery codes left.').waitFor()
  })
})
