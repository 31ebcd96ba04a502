import { expect } from 'chai'
import { faultsInBothSchemes, faultsOfWidth, focused, tabTo } from '../support/accessibility.ts'
import { useBrowser, whenShown, type ConsolePage } from '../support/browser.ts'
import { insertEndedDeliveries, makeWebhook } from '../support/console-objects.ts'
import type { Person } from '../support/console.ts'

describe('the screens of recoveries', function () {
  this.timeout(120_000)
  const use = useBrowser()

  /** An inactive webhook with deliveries that failed: its recovery waits, so that every screen can be looked at. */
  async function filled(): Promise<ConsolePage & Person & { id: string }> {
    const shown = await use.admin()
    const { id } = await makeWebhook(use.console, shown.client, { is_active: false })
    await insertEndedDeliveries(use.console, 3, id)
    return { ...shown, id }
  }

  /** Goes through the dialog, the progress and the list, and looks at each. */
  async function walk(
    { page, open, id }: ConsolePage & { id: string },
    look: (what: string) => Promise<void>,
  ) {
    const dialog = page.getByRole('dialog')
    await open(`/webhooks/${id}`)
    await whenShown(page, 'Select undelivered')
    await page.getByRole('button', { name: 'Select undelivered' }).click()
    await page.getByRole('button', { name: 'Resend 3 selected' }).click()
    await dialog.getByRole('button', { name: 'Resend 3 deliveries' }).waitFor()
    await look('resend')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Recover', exact: true }).click()
    await dialog.getByText('3 deliveries failed for good.').waitFor()
    await look('form')
    await dialog.getByLabel('Missed events').check()
    await dialog.getByText('No event was missed in this time.').waitFor()
    await dialog.getByLabel('Created').selectOption('own')
    await dialog.getByLabel('From (your time)', { exact: true }).fill('')
    await dialog.getByText('Say when it begins.').waitFor()
    await look('own times')
    await dialog.getByLabel('Failed deliveries').check()
    await dialog.getByLabel('Created').selectOption('24h')
    await dialog.getByRole('button', { name: 'Recover 3 deliveries' }).click()
    await dialog.getByText('0 of 3 queued', { exact: true }).waitFor()
    await look('progress')
    await dialog.getByRole('link', { name: 'All recoveries of this webhook' }).click()
    await page.getByRole('tab', { name: 'Recoveries', selected: true }).waitFor()
    await dialog.waitFor({ state: 'detached' })
    await whenShown(page, '0 of 3 queued')
    await look('list')
  }

  it('meet WCAG 2.2 AA as far as axe can tell, light and dark, and fit a width of 320 pixels', async () => {
    const shown = await filled()
    const faults: Record<string, string[]> = {}
    await walk(shown, async (what) => {
      faults[what] = [...(await faultsInBothSchemes(shown.page)), ...(await faultsOfWidth(shown.page))]
    })
    expect(Object.keys(faults)).to.have.length(5)
    expect(Object.entries(faults).filter(([, found]) => found.length > 0)).to.deep.equal([])
  })

  it('can be used by keyboard alone: a recovery is begun and stopped', async () => {
    const { page, open, id } = await filled()
    await open(`/webhooks/${id}`)
    await whenShown(page, 'Select undelivered')
    await tabTo(page, /^Recover$/)
    await page.keyboard.press('Enter')
    await page.getByText('3 deliveries failed for good.').waitFor()
    await tabTo(page, /^Failed deliveries/)
    await tabTo(page, /^Recover 3 deliveries/)
    await page.keyboard.press('Enter')
    await page.getByText('0 of 3 queued', { exact: true }).waitFor()
    await tabTo(page, /^Stop/)
    await page.keyboard.press('Enter')
    await page.getByText('Somebody stopped it.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await focused(page)).to.equal('Recover')
  })
})
