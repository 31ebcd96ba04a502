import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The columns that docs/operating recommends. The UI keeps the choice under this name, for each namespace apart. */
const COLUMNS_KEY = 'namespace-workflow-table-columns'
const COLUMNS = [
  ...['Status', 'Workflow ID', 'EventType', 'WebhookId', 'CompanyId'],
  ...['EventId', 'Environment', 'Start', 'Execution Duration'],
]
/** Wide enough for all columns. */
const VIEWPORT = { width: 2700, height: 560 }
/** The UI asks the server again and again, so it never falls silent. */
const SETTLE_MS = 3_000

/**
 * The list of deliveries with its columns, the page of one that failed for good, and the texts of one that waits for a retry.
 *
 * @param {{ browser: import('playwright-core').Browser, dir: string }} target
 * @param {{ uiUrl: string, failedId: string, waitingId: string }} what ids of deliveries
 */
export async function pictureTemporal({ browser, dir }, { uiUrl, failedId, waitingId }) {
  const context = await browser.newContext({ viewport: VIEWPORT })
  await context.addInitScript(
    ([key, value]) => globalThis.localStorage.setItem(key ?? '', value ?? ''),
    [COLUMNS_KEY, JSON.stringify({ default: COLUMNS.map((label) => ({ label })) })],
  )
  const page = await context.newPage()
  const workflows = `${uiUrl}/namespaces/default/workflows`
  const query = encodeURIComponent('WorkflowType="deliverWebhook"')
  await page.goto(`${workflows}?query=${query}`)
  await page.getByRole('link', { name: failedId }).first().waitFor()
  await sleep(SETTLE_MS)
  await page.screenshot({ path: path.join(dir, 'temporal-list.png') })
  await page.setViewportSize({ width: 1500, height: 1100 })
  await page.goto(`${workflows}/${failedId}`)
  await page.getByText('http_500').first().waitFor()
  await sleep(SETTLE_MS)
  await page.screenshot({ path: path.join(dir, 'temporal-failed.png') })
  await page.setViewportSize({ width: 1500, height: 700 })
  await page.goto(`${workflows}/${waitingId}`)
  await page.getByText('User Metadata', { exact: true }).click()
  await page.getByText('Current Details').first().waitFor()
  await sleep(SETTLE_MS)
  await page.screenshot({ path: path.join(dir, 'temporal-waiting.png') })
  await context.close()
}
