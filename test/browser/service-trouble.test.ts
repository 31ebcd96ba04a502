import { expect } from 'chai'
import { createKey, fillKey, useBrowser, storeSecret } from '../support/browser.ts'
import { makeWebhook } from '../support/console.ts'

describe('trouble of the service in the console', function () {
  this.timeout(60_000)
  // A separate stack, because its processes log the faults that the tests cause.
  const use = useBrowser({ workers: 0, mayLogErrors: true })

  it('is a plain sentence for a fault, with the request id that is in the log and a way to try again', async () => {
    const { page, open, client } = await use.admin()
    await makeWebhook(use.console, client, { name: 'Behind a fault' })
    const { db, api } = use.console.stack
    await db.raw('RENAME TABLE webhooks TO webhooks_away')
    try {
      await open('/webhooks')
      await page.getByText('The service has a fault').waitFor()
      const requestId = (await page.getByRole('alert').locator('code').textContent()) ?? ''
      expect(requestId).to.have.length.above(10)
      expect(api.output()).to.include(requestId)
      expect(await page.getByRole('alert').textContent()).to.not.match(/webhooks_away|select|ER_/i)
    } finally {
      await db.raw('RENAME TABLE webhooks_away TO webhooks')
    }
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'Behind a fault' }).waitFor()
    expect(await page.getByRole('alert').count()).to.equal(0)
  })

  it('keeps a form that a fault refused, and the second try makes one thing', async () => {
    const { page, open } = await use.admin()
    const { db } = use.console.stack
    await open('/keys/new')
    await fillKey(page, 'Second try')
    await db.raw('RENAME TABLE audit TO audit_away')
    try {
      await createKey(page)
      await page.getByText('Tell the operator this request id').waitFor()
    } finally {
      await db.raw('RENAME TABLE audit_away TO audit')
    }
    expect(await page.getByLabel(/^Name/).inputValue()).to.equal('Second try')
    await createKey(page)
    await page.getByTestId('secret').waitFor()
    const rows = await db('api_keys').where({ company_id: use.console.companyId }).pluck('name')
    expect(rows).to.deep.equal(['Second try'])
  })

  it('says how long to wait after too many requests, and what was typed stays', async () => {
    const api = await use.console.stack.startApi({ RATE_LIMIT_PER_MINUTE: '4' })
    const { page, open } = await use.pageOf(await use.console.person('admin'), { url: api.url })
    await open('/keys/new')
    await page.getByLabel(/^Name/).fill('Too fast')
    for (let requests = 0; requests < 4; requests += 1) {
      const answered = page.waitForResponse(/\/allowlist-test/)
      await page.getByLabel('IP allowlist').fill(`10.0.0.${requests}`)
      await answered
    }
    await page.getByRole('checkbox', { name: /^read:all/ }).check()
    await createKey(page)
    await page.getByText('Too many requests').waitFor()
    await page.getByText(/^You can try again in \d+/).waitFor()
    expect(await page.getByLabel(/^Name/).inputValue()).to.equal('Too fast')
    // A page loads the command palette some time after it opens.
    await page.close()
    await api.stop()
  })

  it('of a process that restarts under an open page goes away by itself, and the form goes on; a screen that did not come does once the page is loaded again', async () => {
    const first = await use.console.stack.startApi()
    const { page, open } = await use.pageOf(await use.console.person('admin'), { url: first.url })
    await open('/keys/new')
    await fillKey(page, 'Over a restart')
    use.mayLog(/dynamically imported module|ERR_CONNECTION_REFUSED/)
    await first.stop()
    await createKey(page)
    const banner = page.getByText('No connection to the service', { exact: false })
    await banner.waitFor()
    const second = await use.console.stack.startApi({ PORT: new URL(first.url).port })
    await banner.waitFor({ state: 'detached' })
    await createKey(page)
    await storeSecret(page)
    await page.getByRole('heading', { name: 'Over a restart' }).waitFor()

    await second.stop()
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByText('This screen could not be shown').waitFor()
    const third = await use.console.stack.startApi({ PORT: new URL(first.url).port })
    await page.getByRole('button', { name: 'Load the page again' }).click()
    await page.getByText('A webhook sends events to a server of yours').waitFor()
    await page.close()
    await third.stop()
  })
})
