// Takes the pictures of the documents: `npm run screenshots`. It launches a demo of its own, on free ports and in a temporary
// directory, lets some deliveries fail, and writes the screens of the console and of the Temporal UI into docs/images.
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { chromium } from 'playwright-core'
import { build } from '../build.mjs'
import { apiClient } from '../demo/http.mjs'
import { launchDemo } from '../demo/launch.ts'
import { ROOT } from '../lib/paths.mjs'
import { readJson } from '../lib/private-files.ts'
import { createProgress } from '../lib/progress.ts'
import { waitUntil } from '../lib/ready.ts'
import { runSupervised } from '../lib/supervisor.ts'
import { findBrowser } from '../lib/test-tools.ts'
import { makeDirectory } from '../stack/stack.ts'

const IMAGES = path.join(ROOT, 'docs', 'images')
const progress = createProgress()

/** Webhooks that the pictures show besides the history's: the path of the endpoint, the event, and how it is retried. */
const WEBHOOKS = [
  { name: 'Billing', path: '/status/500', event: 'deal.deleted', max_retries: 1, retry_schedule: [1] },
  { name: 'Search', path: '/status/429', event: 'organization.updated', retry_schedule: [900] },
  { name: 'Former', path: '/status/404', event: 'organization.deleted', retry_schedule: [900] },
]

const VIEWPORT = { width: 1440, height: 900 }

/** The columns that docs/operating recommends. The UI keeps the choice under this name, for each namespace apart. */
const COLUMNS_KEY = 'namespace-workflow-table-columns'
const COLUMNS = [
  ...['Status', 'Workflow ID', 'EventType', 'WebhookId', 'CompanyId'],
  ...['EventId', 'Environment', 'Start', 'Execution Duration'],
]
/** How long the UI gets to draw a page. It polls the server, so its network never becomes idle. */
const SETTLE_MS = 3_000

await runSupervised(async (supervisor) => {
  const dataDir = await makeDirectory(supervisor, 'screenshots')
  await progress.step('Build', build)
  const executablePath = await progress.step('Browser', (onUpdate) => findBrowser({ onUpdate }))
  await launchDemo({ supervisor, progress, dataDir, env: process.env })
  const env = parseEnv(await readFile(path.join(dataDir, 'service.env'), 'utf8'))
  const demo = await readJson(path.join(dataDir, 'demo.json'))
  const apiUrl = `http://127.0.0.1:${env.PORT}`
  const receiver = `https://127.0.0.1:${env.RECEIVER_PORT}`
  const ids = await progress.step('Some deliveries', () => playScene(apiClient(apiUrl, demo.key), receiver))
  await mkdir(IMAGES, { recursive: true })
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const uiUrl = env.TEMPORAL_UI_URL
    await progress.step('Temporal UI', () => pictureTemporal(browser, uiUrl, ids))
    await progress.step('Console', () => pictureConsole(browser, apiUrl, demo))
  } finally {
    await browser.close()
  }
  return 0
})

/**
 * Makes webhooks whose endpoints fail, sends each an event, and deletes one of them. Returns the ids of two deliveries: one failed
 * for good, one waits for its retry.
 */
async function playScene(api, receiver) {
  const call = async (method, route, body) => {
    const { status, data, error } = await api(method, route, body)
    if (status >= 300) throw new Error(`${method} ${route} was answered ${status}: ${error?.message}`)
    return data
  }
  const ids = []
  for (const { path: name, event, ...webhook } of WEBHOOKS) {
    const url = `${receiver}${name}`
    const { id } = await call('POST', '/api-v1-webhooks', { ...webhook, url, events: [event] })
    ids.push(id)
    await call('POST', '/api-v1-events', { event, data: { name: webhook.name } })
  }
  const listAll = () => Promise.all(ids.map((id) => call('GET', `/api-v1-webhooks/${id}/deliveries`)))
  await waitUntil('A delivery of each webhook', async () => {
    const lists = await listAll()
    return lists.every(([delivery]) => delivery?.attempts > 0) && lists[0][0].status === 'failed'
  })
  const [[failed], [waiting]] = await listAll()
  await call('DELETE', `/api-v1-webhooks/${ids[2]}`)
  return { failedId: failed.id, waitingId: waiting.id }
}

/** The main screens of the console, in both schemes. */
async function pictureConsole(browser, apiUrl, demo) {
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ viewport: VIEWPORT, colorScheme, reducedMotion: 'reduce' })
    const page = await context.newPage()
    const shoot = async (name) => {
      await page.waitForLoadState('networkidle')
      await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
      await page.screenshot({ path: path.join(IMAGES, `console-${name}-${colorScheme}.png`) })
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

/** The list of deliveries with its columns, the page of one that failed for good, and the texts of one that waits for a retry. */
async function pictureTemporal(browser, uiUrl, { failedId, waitingId }) {
  // Wide enough for all columns.
  const context = await browser.newContext({ viewport: { width: 2700, height: 560 } })
  await context.addInitScript(
    ([key, value]) => globalThis.localStorage.setItem(key, value),
    [COLUMNS_KEY, JSON.stringify({ default: COLUMNS.map((label) => ({ label })) })],
  )
  const page = await context.newPage()
  const shoot = async (name) => {
    await sleep(SETTLE_MS)
    await page.screenshot({ path: path.join(IMAGES, `temporal-${name}.png`) })
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
