import { expect } from 'chai'
import { accessibilityFaults } from '../support/accessibility.ts'
import { useBrowser } from '../support/browser.ts'
import { makeKey } from '../support/console-objects.ts'

describe('the filter of a webhook in the console', function () {
  this.timeout(60_000)
  const use = useBrowser()

  it('is built in rows, tried on real events, corrected as JSON and saved', async () => {
    const { page, open, client } = await use.admin()
    const key = await makeKey(use.console)
    for (const stage of ['won', 'lost', 'won'])
      await key.request('POST', '/api-v1-events', { event: 'deal.created', data: { stage } })
    await open('/webhooks/new')
    await page.getByLabel(/^Name/).fill('Won deals')
    await page.getByLabel(/^URL/).fill(use.console.stack.receiver.url('/ok'))
    await page.getByRole('checkbox', { name: /^deal.created/ }).check()
    await page.getByRole('button', { name: 'Add condition' }).click()
    await page.getByLabel('Field 1').fill('data.stage')
    await page.getByLabel('Value 1').fill('won')
    await page.getByText('2 of the last 3 events match.').waitFor()
    await page.getByText('data.stage is "lost"; it must be "won".').waitFor()
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Edit as JSON' }).click()
    expect(await page.getByLabel('Field 1').count()).to.equal(0)
    const json = page.getByLabel('Filter as JSON')
    await json.fill('{"data.stage": {"$is": "won"}}')
    await page.getByText('"filter.data.stage.$is" is no operator of a field').waitFor()
    await json.fill('{"data.stage": {"$in": ["won"]}}')
    await page.getByRole('button', { name: 'Edit in rows' }).click()
    expect(await json.count()).to.equal(0)
    expect(await page.getByLabel('Comparison 1').inputValue()).to.equal('$in')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByLabel('I have stored the secret').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { name: 'Won deals' }).waitFor()
    const { body } = await client.call('GET', '/webhooks')
    expect(body.data[0].filter).to.deep.equal({ 'data.stage': { $in: ['won'] } })
  })
})
