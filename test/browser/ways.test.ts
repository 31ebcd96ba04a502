import { expect } from 'chai'
import { addToHours } from '../../src/db/webhook/hourly-stats.ts'
import { databaseNow } from '../../src/db/clock.ts'
import { floorTo, HOUR_MS } from '../../src/domain/instants.ts'
import { NO_FIGURES, withAttempt } from '../../src/domain/webhook/stats.ts'
import { faultsInBothSchemes, faultsOfWidth, focused } from '../support/accessibility.ts'
import { holdCalls, useBrowser } from '../support/browser.ts'
import { insertEndedDeliveries, makeFailingWebhook, makeKey, makeWebhook } from '../support/console.ts'

describe('navigation of the console', function () {
  this.timeout(60_000)
  const use = useBrowser()

  it('keeps the focus on a button at the keyboard while what it asked for is under way', async () => {
    const { page, open, client } = await use.admin()
    const { id } = await makeWebhook(use.console, client, { name: 'pressed' })
    await open(`/webhooks/${id}`)
    await page.getByRole('button', { name: 'Send test event' }).first().focus()
    const answer = await holdCalls(page, /\/test$/)
    await page.keyboard.press('Enter')
    await page.locator('button:disabled', { hasText: 'Send test event' }).first().waitFor()
    answer()
    await page.locator('button:enabled:focus', { hasText: 'Send test event' }).waitFor()
  })

  // decision: One chart without a library
  // decision: A click on a bar
  it('a bar of a chart leads to the deliveries of its hour and state, by mouse and by keyboard', async () => {
    const { page, open, visit, client } = await use.admin()
    const id = await makeFailingWebhook(use.console, client, 'charted')
    const { db } = use.console.stack
    const startsAt = floorTo(await databaseNow(db), HOUR_MS)
    const figures = withAttempt(NO_FIGURES, { kind: 'unreachable', reason: 'dns_error', durationMs: 3 })
    await addToHours(db, 1, [{ webhookId: id, startsAt, figures }])
    await insertEndedDeliveries(use.console, 1, id)
    const window = { after: startsAt.toISOString(), before: new Date(+startsAt + HOUR_MS).toISOString() }
    await open('/overview')
    await page.locator('.chart-part').last().click()
    await page.waitForURL(/\/deliveries\?/)
    const query = () => Object.fromEntries(new URL(page.url()).searchParams)
    expect(query()).to.deep.equal({ within: 'own', ...window, status: 'pending,retrying,failed' })
    await visit('/webhooks')
    await page.getByRole('img', { name: '1 attempt in 24 hours, 1 of them failed' }).waitFor()
    await visit(`/webhooks/${id}?tab=metrics`)
    await page.getByRole('group', { name: '1 attempt, 1 of them failed.' }).waitFor()
    await page.getByText('dns_error: The host name does not resolve to a public address.').waitFor()
    await page.getByRole('group', { name: /^Attempts by hour/ }).focus()
    expect([...(await faultsInBothSchemes(page)), ...(await faultsOfWidth(page))]).to.deep.equal([])
    // The chart keeps its old width for a moment, as when the window narrows.
    await page.evaluate(
      "document.querySelectorAll('.chart-plot svg').forEach((svg) => (svg.style.width = '1200px'))",
    )
    expect(await faultsOfWidth(page)).to.deep.equal([])
    await page.keyboard.press('ArrowLeft')
    await page.getByText(/: failed 1, succeeded 0$/).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/within=own/)
    expect(query()).to.deep.equal({ within: 'own', ...window })
    await page.getByRole('region', { name: 'Deliveries' }).getByText('contact.created').waitFor()
  })

  it('Ctrl K finds a page, a webhook, any id, a test event to send, and events of a record', async () => {
    const { page, open, client } = await use.admin()
    const { id } = await makeWebhook(use.console, client, { name: 'Warehouse' })
    await open('/keys')
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    const search = page.getByPlaceholder(/^A page/)
    // Hold back the names of webhooks until the text is typed. They must be selectable all the same.
    let markTyped = (): void => undefined
    const typed = new Promise<void>((resolve) => (markTyped = resolve))
    await page.route(/\/webhook-names($|\?)/, (route) => typed.then(() => route.continue()))
    const choose = async (text: string) => {
      await page.keyboard.press('Control+k')
      await search.fill(text)
      markTyped()
      await page.getByRole('dialog').getByText(text).first().waitFor()
    }
    await choose('Warehouse')
    expect(await faultsInBothSchemes(page)).to.deep.equal([])
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`/webhooks/${id}$`))
    await choose('evt_1')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/events\/evt_1$/)
    // A page takes the focus when it appears, so wait for that.
    await page.getByText('It may have been deleted').waitFor()
    await choose('Send test event to Warehouse')
    await page.keyboard.press('Enter')
    await page.getByText('Test event to Warehouse: response 200.').waitFor()
    const key = await makeKey(use.console)
    const event = { event: 'deal.created', subject: 'ERP-77', data: { name: 'Office chairs' } }
    const { body } = await key.request('POST', '/api-v1-events', event)
    await choose('ERP-77')
    await page.getByRole('dialog').getByText('deal.created Office chairs').click()
    await page.waitForURL(new RegExp(`/events/${body.data.id as string}$`))
  })

  // decision: Shortcuts of single keys
  it('single keys go through a list, the list of shortcuts switches them off, and a click on a hint opens its row', async () => {
    const { page, open, client } = await use.admin()
    for (const name of ['First', 'Second']) await makeWebhook(use.console, client, { name })
    await open('/keys')
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.getByRole('link', { name: 'First' }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    expect(await focused(page)).to.equal('First')
    await page.keyboard.press('k')
    expect(await focused(page)).to.equal('Second')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    expect(await faultsInBothSchemes(page)).to.deep.equal([])
    await page.getByRole('switch', { name: 'Shortcuts of single keys' }).press('Space')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByText('Overview').waitFor()
    expect(await page.getByRole('dialog').count()).to.equal(1)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('row', { name: 'Second' }).locator('td [title]:not(a)').last().click()
    await page.getByRole('heading', { name: 'Second' }).waitFor()
  })
})
