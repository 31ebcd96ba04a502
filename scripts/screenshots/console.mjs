import path from 'node:path'

const VIEWPORT = { width: 1440, height: 900 }
const SCHEMES = /** @type {const} */ (['light', 'dark'])

/**
 * The main screens of the console, in both schemes.
 *
 * @param {{ browser: import('playwright-core').Browser, dir: string }} target
 * @param {{ apiUrl: string, demo: import('../demo/seed.mjs').Demo }} what
 */
export async function pictureConsole({ browser, dir }, { apiUrl, demo }) {
  for (const colorScheme of SCHEMES) {
    const context = await browser.newContext({ viewport: VIEWPORT, colorScheme, reducedMotion: 'reduce' })
    const page = await context.newPage()
    const shoot = async (/** @type {string} */ name) => {
      await page.waitForLoadState('networkidle')
      await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
      await page.screenshot({ path: path.join(dir, `console-${name}-${colorScheme}.png`) })
    }
    await page.goto(`${apiUrl}/console/`)
    await page.getByLabel('Email').waitFor()
    await shoot('sign-in')
    await page.getByLabel('Email').fill(demo.user.email)
    await page.locator('input[type=password]').fill(demo.user.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/\/c\//)
    const base = `${apiUrl}/console/c/${demo.companyId}/live`
    const failing = demo.webhooks.crm?.id ?? ''
    for (const [name, place] of /** @type {const} */ ([
      ['overview', 'overview'],
      ['keys', 'keys'],
      ['key', `keys/${demo.keyId}`],
      ['webhooks', 'webhooks'],
      ['webhook', `webhooks/${failing}`],
      ['metrics', `webhooks/${failing}?tab=metrics&window=7d`],
      ['deliveries', 'deliveries?status=failed'],
    ])) {
      await page.goto(`${base}/${place}`)
      await shoot(name)
    }
    await page.locator('tbody .row-link').first().click()
    await shoot('delivery')
    await page.locator('aside a[href*="/events/"]').click()
    await page.getByText('Published by').waitFor()
    await shoot('event')
    await context.close()
  }
}
