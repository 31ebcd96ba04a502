import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const VIEWPORT = { width: 1440, height: 900 }

/**
 * The main screens of the console, in both schemes.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string} dir for the pictures
 * @param {{ apiUrl: string, demo: import('../demo/seed.mjs').Demo }} what
 */
export async function pictureConsole(browser, dir, { apiUrl, demo }) {
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ viewport: VIEWPORT, colorScheme, reducedMotion: 'reduce' })
    const page = await context.newPage()
    const shoot = async (name) => {
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
    const failing = demo.webhooks.crm.id
    for (const [name, place] of [
      ['overview', 'overview'],
      ['keys', 'keys'],
      ['key', `keys/${demo.keyId}`],
      ['webhooks', 'webhooks'],
      ['webhook', `webhooks/${failing}`],
      ['metrics', `webhooks/${failing}?tab=metrics&window=7d`],
      ['deliveries', 'deliveries?status=failed'],
    ]) {
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

/** The columns that docs/operating recommends. The UI keeps the choice under this name, for each namespace apart. */
const COLUMNS_KEY = 'namespace-workflow-table-columns'
const COLUMNS = [
  ...['Status', 'Workflow ID', 'EventType', 'WebhookId', 'CompanyId'],
  ...['EventId', 'Environment', 'Start', 'Execution Duration'],
]
/** Wide enough for all columns. */
const LIST = { width: 2700, height: 560 }
/** How long the UI gets to draw a page. It polls the server, so its network never becomes idle. */
const SETTLE_MS = 3_000

/**
 * The list of deliveries with its columns, the page of one that failed for good, and the texts of one that waits for a retry.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string} dir for the pictures
 * @param {{ uiUrl: string, failedId: string, waitingId: string }} what ids of deliveries
 */
export async function pictureTemporal(browser, dir, { uiUrl, failedId, waitingId }) {
  const context = await browser.newContext({ viewport: LIST })
  await context.addInitScript(
    ([key, value]) => globalThis.localStorage.setItem(key, value),
    [COLUMNS_KEY, JSON.stringify({ default: COLUMNS.map((label) => ({ label })) })],
  )
  const page = await context.newPage()
  const shoot = async (name) => {
    await sleep(SETTLE_MS)
    await page.screenshot({ path: path.join(dir, `temporal-${name}.png`) })
  }
  const workflows = `${uiUrl}/namespaces/default/workflows`
  await page.goto(`${workflows}?query=${encodeURIComponent('WorkflowType="deliverWebhook"')}`)
  await page.getByRole('link', { name: failedId }).first().waitFor()
  await shoot('list')
  await page.setViewportSize({ width: 1500, height: 1100 })
  await page.goto(`${workflows}/${failedId}`)
  await page.getByText('http_500').first().waitFor()
  await shoot('failed')
  await page.setViewportSize({ width: 1500, height: 700 })
  await page.goto(`${workflows}/${waitingId}`)
  await page.getByText('User Metadata', { exact: true }).click()
  await page.getByText('Current Details').first().waitFor()
  await shoot('waiting')
  await context.close()
}
