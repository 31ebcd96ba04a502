import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { useBrowser, type ConsolePage } from '../support/browser.ts'
import { insertEndedDeliveries, make, makeWebhook, type Person } from '../support/console.ts'
import { untilIs } from '../support/poll.ts'
import { toLocalInput } from '../../web/src/common/format/local-times.ts'

const DAY_MS = 86_400_000

/** Waits until the list shows `count` deliveries. */
const shows = (page: Page, count: number) =>
  untilIs(
    () => page.getByRole('region', { name: 'Deliveries' }).getByRole('row').count(),
    count === 0 ? 0 : count + 1,
    { what: `${count} deliveries and the heading` },
  )

const queryOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

describe('the list of deliveries in the console', function () {
  this.timeout(120_000)
  const use = useBrowser()

  /** A page that lists three failed deliveries, one of them old, and one that succeeded. Returns the failed ids too. */
  async function filledList(): Promise<ConsolePage & Person & { webhookId: string; failed: string[] }> {
    const shown = await use.admin()
    const { id: webhookId } = await makeWebhook(use.console, shown.client)
    const insert = (count: number, columns: object) =>
      insertEndedDeliveries(use.console, count, webhookId, columns)
    const failed = await insert(2, { response_code: 500 })
    const old = await insert(1, { created_at: new Date(Date.now() - 3 * DAY_MS), event_type: 'deal.created' })
    await insert(1, { status: 'success', response_code: 200, delivered_at: new Date() })
    await shown.open('/deliveries')
    await shows(shown.page, 4)
    return { ...shown, webhookId, failed: [...failed, ...old] }
  }

  // decision: Saved filters
  it('is filtered in its address, which a reload keeps, the back button undoes, and a name brings back, until it is deleted', async () => {
    const { page } = await filledList()
    const menu = page.getByRole('button', { name: 'Saved filters' })
    await page.getByLabel('State').selectOption('failed')
    await shows(page, 3)
    await page.getByLabel('Event', { exact: true }).selectOption('contact.created')
    await shows(page, 2)
    await page.getByLabel('Response').selectOption('5xx')
    await page.getByLabel('Created').selectOption('24h')
    const filters = { status: 'failed', event_type: 'contact.created', response: '5xx', within: '24h' }
    expect(queryOf(page)).to.deep.equal(filters)
    await page.reload()
    await shows(page, 2)
    expect(await page.getByLabel('Created').inputValue()).to.equal('24h')
    await page.goBack()
    await page.goBack()
    await page.goBack()
    await shows(page, 3)
    expect(queryOf(page)).to.deep.equal({ status: 'failed' })
    expect(await page.getByLabel('Event', { exact: true }).inputValue()).to.equal('')
    await menu.click()
    await page.getByRole('menuitem', { name: 'Save these filters…' }).click()
    await page.getByLabel('Name').fill('What failed')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Remove the filter State' }).click()
    await shows(page, 4)
    await page.getByLabel('State').and(page.locator(':focus')).waitFor()
    await menu.click()
    await page.getByRole('menuitem', { name: 'What failed' }).click()
    await shows(page, 3)
    expect(queryOf(page)).to.deep.equal({ status: 'failed' })
    await menu.click()
    await page.getByRole('menuitem', { name: 'Rename or delete…' }).click()
    await page.getByLabel('Name of “What failed”').fill('Failed')
    await page.getByRole('button', { name: 'Rename “What failed”' }).click()
    await page.getByRole('button', { name: 'Delete “Failed”' }).click()
    await page.getByRole('button', { name: 'Delete “Failed”' }).waitFor({ state: 'detached' })
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await menu.click()
    await page.getByText('None yet: set filters, then save them here.').waitFor()
  })

  it("is narrowed to times of one's own, which stand in the address in UTC", async () => {
    const { page } = await filledList()
    await page.getByLabel('Created').selectOption('own')
    await shows(page, 3)
    const field = (name: string) => page.getByLabel(`${name} (your time)`, { exact: true })
    const [from, to] = [field('From'), field('To')]
    const now = Date.now()
    const ago = (days: number) => toLocalInput(new Date(now - days * DAY_MS))
    await from.fill('2026-2-30')
    await from.blur()
    await page.getByText('Write the day as 2026-01-31 and the time as 09:30.').waitFor()
    await shows(page, 3)
    await from.fill(ago(1))
    await page.getByRole('button', { name: 'From (your time): choose the day' }).press('Enter')
    await page.getByRole('button', { name: 'Month before' }).press('Enter')
    const yesterday = new Date(now - DAY_MS)
    const longAgo = new Date(yesterday.getFullYear(), yesterday.getMonth() - 1, 15)
    const month = longAgo.toLocaleString('en', { month: 'long' })
    await page.getByRole('button', { name: `15 ${month} ${longAgo.getFullYear()}` }).click()
    expect(await from.inputValue()).to.equal(toLocalInput(longAgo).slice(0, 10))
    await shows(page, 4)
    await from.fill(ago(4))
    await shows(page, 4)
    await to.fill(ago(2))
    await shows(page, 1)
    const { within, after = '', before = '' } = queryOf(page)
    expect(within).to.equal('own')
    expect([after, before].map((at) => toLocalInput(new Date(at)))).to.deep.equal([ago(4), ago(2)])
    await page.reload()
    await shows(page, 1)
    await to.fill(ago(5))
    await page.getByText('It must end after it begins.').waitFor()
    await shows(page, 1)
    await page.getByLabel('Created').selectOption('')
    await shows(page, 4)
    expect(queryOf(page)).to.deep.equal({})
  })

  it('finds what people know, and says how far it looked; back and «Clear filters» empty the field as well', async () => {
    const { page, failed } = await filledList()
    const input = page.getByLabel('Search', { exact: true })
    await input.fill(`evt_${failed[0] ?? ''}`)
    await shows(page, 1)
    expect(queryOf(page)).to.deep.equal({ q: `evt_${failed[0] ?? ''}` })
    await page.getByText(/^Looked through 1, back to 7 days ago\.$/).waitFor()
    await page.getByRole('button', { name: 'Look further back' }).click()
    await page.getByText(/^Looked through 1, back to 1 month ago\.$/).waitFor()
    await page.goBack()
    await input.fill(failed[1] ?? '')
    await page.getByText(`evt_${failed[1] ?? ''}`).waitFor()
    await shows(page, 1)
    await page.goBack()
    await page.goBack()
    await shows(page, 4)
    expect(await input.inputValue()).to.equal('')
    await page.getByLabel('State').selectOption('success')
    await input.fill(`evt_${failed[1] ?? ''}`)
    await page.getByText('Nothing matches these filters.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await shows(page, 4)
    expect(queryOf(page)).to.deep.equal({})
    expect(await input.inputValue()).to.equal('')
  })

  it('follows live: a delivery comes by itself and is announced', async () => {
    const { page, open, client } = await use.admin()
    const { id } = await makeWebhook(use.console, client)
    await open('/deliveries')
    await page.getByText('Nothing was sent yet').waitFor()
    await page.getByLabel('Follow live').check()
    await page.getByText('Nothing new yet').waitFor()
    expect(queryOf(page)).to.deep.equal({ tail: 'on' })
    await make(client, `/webhooks/${id}/test`, {})
    await page.getByRole('status').filter({ hasText: '1 new delivery' }).waitFor()
    await shows(page, 1)
    await page.getByLabel('Follow live').uncheck()
    expect(queryOf(page)).to.deep.equal({})
    await insertEndedDeliveries(use.console, 55, id)
    await page.reload()
    await page.getByRole('button', { name: 'Show more' }).click()
    await shows(page, 56)
    await page.getByLabel('Follow live').check()
    await shows(page, 50)
  })
})
