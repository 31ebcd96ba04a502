import { expect } from 'chai'
import { KEPT_BODIES } from '../../src/domain/delivery/delivery.ts'
import { accessibilityFaults } from '../support/accessibility.ts'
import { useBrowser } from '../support/browser.ts'
import { make, makeFailedDeliveries, makeFailingWebhook } from '../support/console.ts'
import { untilIs } from '../support/poll.ts'

/** More attempts than the bodies that a delivery keeps. */
const ATTEMPTS = KEPT_BODIES + 3

describe('deliveries in the console', function () {
  this.timeout(120_000)
  const use = useBrowser()

  it('show every attempt of a delivery, also those before the latest twenty', async () => {
    const { client } = await use.console.person()
    const id = await makeFailingWebhook(use.console, client, 'often')
    const { delivery_id: deliveryId } = await make(client, `/webhooks/${id}/test`, {})
    const { db } = use.console.stack
    const [first] = await db('attempts').where({ delivery_id: deliveryId })
    const more = Array.from({ length: ATTEMPTS - 1 }, (_, index) => ({ ...first, number: index + 2 }))
    await db('attempts').insert(more)
    await db('deliveries').where({ id: deliveryId }).update({ attempts: ATTEMPTS })
    const keptNoMore = ATTEMPTS - KEPT_BODIES
    await db('attempts')
      .where({ delivery_id: deliveryId })
      .where('number', '<=', keptNoMore)
      .update({ response_headers: null })
    const { page, open } = await use.admin()
    await open(`/deliveries/${id}/${deliveryId}`)
    await page.getByText(`Attempt ${ATTEMPTS}`, { exact: true }).waitFor()
    expect(await page.getByText(`Attempt ${keptNoMore}`, { exact: true }).count()).to.equal(0)
    await page.getByRole('button', { name: 'Show 3 earlier attempts' }).click()
    await page.getByText('Attempt 1', { exact: true }).waitFor()
    expect(await page.getByText(/^Attempt \d+$/).count()).to.equal(ATTEMPTS)
    const unkept = await page.getByText('Its response is no longer kept', { exact: false }).count()
    expect(unkept).to.equal(keptNoMore)
  })

  it('are selected and retried or resent, with their number before, what came of each, and which the api refused', async () => {
    const { client } = await use.console.person()
    const { id, path } = await makeFailedDeliveries(use.console, client, 3)
    const { db, receiver } = use.console.stack
    const failed = { webhook_id: id, status: 'failed' }
    const { page, open } = await use.pageOf(await use.console.person('member'))
    await open(`/webhooks/${id}`)
    const dialog = page.getByRole('dialog')
    const select = page.getByRole('checkbox', { name: /^Select the delivery/ })
    await select.first().check()
    await page.getByText('1 selected', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Recover all that failed…' }).waitFor()
    await page.getByRole('button', { name: 'Retry 1 selected' }).click()
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Retry 1 delivery' }).click()
    await page.getByText('1 delivery queued for retry.').waitFor()
    await dialog.getByRole('link', { name: 'Look at it' }).waitFor()
    await page.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Retry 1 selected' }).waitFor({ state: 'detached' })
    await untilIs(async () => (await db('deliveries').where(failed)).length, 2, { what: 'the retry' })

    await open(`/webhooks/${id}`)
    await page.getByRole('button', { name: 'Select undelivered' }).click()
    await page.getByRole('button', { name: 'Resend 2 selected' }).click()
    const [gone] = await db('deliveries').where(failed)
    await db('events').where({ company_id: use.console.companyId, id: gone.event_id }).delete()
    await dialog.getByRole('button', { name: 'Resend 2 deliveries' }).click()
    await dialog.getByText('1 delivery resent, each as a new delivery. 1 delivery refused.').waitFor()
    await dialog.getByText('The event of the delivery is gone.').waitFor()
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await receiver.waitFor(path, 5)
    await dialog.getByRole('link', { name: 'Look at the new delivery' }).click()
    await page.getByText('delivered').first().waitFor()
  })
})
