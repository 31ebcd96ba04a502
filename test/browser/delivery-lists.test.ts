import { expect } from 'chai'
import { KEPT_BODIES } from '../../src/domain/delivery/delivery.ts'
import { accessibilityFaults } from '../support/accessibility.ts'
import { useBrowser } from '../support/browser.ts'
import { make, makeFailedDeliveries, makeFailingWebhook } from '../support/console-objects.ts'
import { until } from '../support/poll.ts'
import type { ApiAnswer, Json } from '../support/tenants.ts'

/** More than the detail of a delivery holds. */
const ATTEMPTS = KEPT_BODIES + 3

describe('deliveries in the console', function () {
  this.timeout(60_000)
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
    expect(await page.getByText('Its response is no longer kept', { exact: false }).count()).to.equal(
      keptNoMore,
    )
  })

  it('retry the deliveries that are selected, with their number before and what came of each', async () => {
    const { client } = await use.console.person()
    const id = await makeFailingWebhook(use.console, client, 'resent')
    for (let sent = 0; sent < 2; sent++) await make(client, `/webhooks/${id}/test`, {})
    const { page, open } = await use.admin()
    await open(`/webhooks/${id}`)
    await page
      .getByRole('checkbox', { name: /^Select the delivery/ })
      .first()
      .check()
    expect(await page.getByRole('button', { name: 'Resend 0 selected' }).isDisabled()).to.equal(true)
    await page.getByText('1 selected', { exact: true }).waitFor()
    await page.getByTitle(/^Resend leaves out 1: test events/).waitFor()
    await page.getByRole('button', { name: 'Recover all that failed…' }).waitFor()
    await page.getByRole('button', { name: 'Retry 1 selected' }).click()
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Retry 1 delivery' }).click()
    await page.getByText('1 delivery queued for retry.').waitFor()
    await page.getByRole('dialog').getByRole('link', { name: 'Look at it' }).waitFor()
    await page.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Retry 1 selected' }).waitFor({ state: 'detached' })
    const failedTwice = ({ body }: ApiAnswer) =>
      body.data.filter(({ attempts, status }: Json) => attempts === 2 && status === 'failed').length
    await until(
      () => client.call('GET', `/webhooks/${id}/deliveries`),
      (answer) => failedTwice(answer) === 1,
    )
  })

  it('resend the deliveries that are selected, and say which the api refused', async () => {
    const { client } = await use.console.person()
    const { id, path } = await makeFailedDeliveries(use.console, client, 2)
    const { db, receiver } = use.console.stack
    const { page, open } = await use.pageOf(await use.console.person('member'))
    await open(`/webhooks/${id}`)
    await page.getByRole('button', { name: 'Select undelivered' }).click()
    await page.getByRole('button', { name: 'Resend 2 selected' }).click()
    const dialog = page.getByRole('dialog')
    const [gone] = await db('deliveries').where({ webhook_id: id })
    await db('events').where({ company_id: use.console.companyId, id: gone.event_id }).delete()
    await dialog.getByRole('button', { name: 'Resend 2 deliveries' }).click()
    await dialog.getByText('1 delivery resent, each as a new delivery. 1 delivery refused.').waitFor()
    await dialog.getByText('The event of the delivery is gone.').waitFor()
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await receiver.waitFor(path, 3)
    await dialog.getByRole('link', { name: 'Look at the new delivery' }).click()
    await page.getByText('delivered').first().waitFor()
  })
})
