import { expect } from 'chai'
import { giveCredentials, useBrowser } from '../support/browser.ts'
import { startDevServer } from '../support/dev-server.ts'

describe('the development server of the console', function () {
  this.timeout(60_000)
  const use = useBrowser()

  it('serves the sources, waits for changes of them, and passes calls of the page on to an api', async () => {
    const dev = await startDevServer(use.console.stack.api.url)
    try {
      const { email } = await use.console.user('admin')
      const { page } = await use.page()
      // At the first load Vite bundles packages: that takes a while, and may load the page once more.
      page.setDefaultTimeout(30_000)
      const watching = page.waitForEvent('console', (message) => message.text() === '[vite] connected.')
      await page.goto(`${dev.url}/console/`, { waitUntil: 'commit' })
      await watching
      await page.getByLabel('Email').waitFor()
      await page.waitForLoadState('networkidle')
      expect(await page.locator('script[src*="/src/main.tsx"]').count()).to.equal(1)
      await giveCredentials(page, email)
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      // A page that stays would ask a server that is gone for what it loads later.
      await page.close()
    } finally {
      await dev.stop()
    }
  })
})
