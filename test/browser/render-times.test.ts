import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { useBrowser } from '../support/browser.ts'
import { insertEndedDeliveries, makeWebhook } from '../support/console.ts'

/**
 * The target for the CPU time of the page's thread, in milliseconds. Unlike elapsed time, it hardly depends on other
 * programs. Three times the target is a fault.
 */
const WANTED = { firstPage: 250, rows: 200, longLine: 50 }

const ROWS = 100
const ROUNDS = 3

/**
 * Repeats an action in a page. A new document counts from its own beginning.
 *
 * @returns the least CPU time of the page's thread for one action, in milliseconds
 */
async function cpuTimeOf(
  page: Page,
  work: () => Promise<void>,
  { isNewDocument = false } = {},
): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const tasksMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1_000 * metrics.find(({ name }) => name === 'TaskDuration')!.value
  }
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = isNewDocument ? 0 : await tasksMs()
    await work()
    times.push((await tasksMs()) - before)
  }
  await session.detach()
  return Math.min(...times)
}

describe('the time that the console takes', function () {
  this.timeout(60_000)
  const use = useBrowser()

  it('is at most three times what we want, for the first page, a list of 100 rows, and a line of 10,000 letters', async () => {
    const { page, open, visit, client } = await use.admin()
    const { id } = await makeWebhook(use.console, client)
    await insertEndedDeliveries(use.console, ROWS, id)
    const overview = async () => {
      await open('/overview')
      await page.locator('.figure-value').first().waitFor()
    }
    const firstPage = await cpuTimeOf(page, overview, { isNewDocument: true })
    await visit('/deliveries')
    await page.getByRole('button', { name: 'Show more' }).click()
    const lastRow = page.getByRole('checkbox').nth(ROWS - 1)
    await lastRow.waitFor()
    // The page has the answers in its cache, so this measures only its own work.
    const rows = await cpuTimeOf(page, async () => {
      await visit('/account')
      await page.getByRole('heading', { name: 'Account' }).waitFor()
      await visit('/deliveries')
      await lastRow.waitFor()
    })
    await open('/keys/new')
    const field = page.getByLabel('IP allowlist')
    const longLine = await cpuTimeOf(page, () => field.fill('W'.repeat(10_000)))
    const took = { firstPage, rows, longLine }
    process.stdout.write(`      ${JSON.stringify(took)} ms\n`)
    for (const [what, ms] of Object.entries(WANTED))
      expect(took[what as keyof typeof took], what).to.be.within(1, 3 * ms)
  })
})
