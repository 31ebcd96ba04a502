import { expect } from 'chai'
import { useBrowser } from '../support/browser.ts'
import { insertEndedDeliveries, makeWebhook } from '../support/console-objects.ts'

/** What we want on a machine of its own, in milliseconds. This machine is shared: three times as long is a fault. */
const WANTED = { firstPage: 1_000, rows: 100 }

const ROWS = 100

/** A script that goes to the list and gives how long it takes until all rows are there, in milliseconds. */
const renderTime = (list: string): string => `new Promise((resolve) => {
  const start = performance.now()
  new MutationObserver((_, observer) => {
    if (document.querySelectorAll('tbody tr').length < ${ROWS}) return
    observer.disconnect()
    resolve(performance.now() - start)
  }).observe(document.body, { childList: true, subtree: true })
  history.pushState(null, '', ${JSON.stringify(list)})
})`

describe('the time that the console takes', function () {
  this.timeout(60_000)
  const use = useBrowser()

  it('is at most three times what we want, for the first page and for a list of 100 rows', async () => {
    const { page, open, visit, client } = await use.admin()
    const { id } = await makeWebhook(use.console, client)
    await insertEndedDeliveries(use.console, ROWS, id)
    await page.addInitScript(`new MutationObserver((_, observer) => {
      if (!document.querySelector('.figure-value')) return
      observer.disconnect()
      globalThis.shownAt = performance.now()
    }).observe(document, { childList: true, subtree: true })`)
    await open('/overview')
    await page.getByText('Deliveries waiting').waitFor()
    const firstPage = await page.evaluate<number>('shownAt')
    await visit('/deliveries')
    await page.getByRole('button', { name: 'Show more' }).click()
    await page
      .getByRole('checkbox')
      .nth(ROWS - 1)
      .waitFor()
    const list = new URL(page.url()).pathname
    const times: number[] = []
    // The answers are in the cache of the page, so this is its own work alone; the best of three, because others use the machine.
    for (let round = 0; round < 3; round++) {
      await visit('/account')
      await page.getByRole('heading', { name: 'Account' }).waitFor()
      times.push(await page.evaluate<number>(renderTime(list)))
    }
    const rows = Math.min(...times)
    process.stdout.write(`      first page ${firstPage.toFixed(0)} ms, ${ROWS} rows ${rows.toFixed(0)} ms\n`)
    expect(firstPage).to.be.below(3 * WANTED.firstPage)
    expect(rows).to.be.below(3 * WANTED.rows)
  })
})
