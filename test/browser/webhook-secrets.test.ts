import { expect } from 'chai'
import { chooseAction, useBrowser, storeSecret } from '../support/browser.ts'
import { PASSWORD, forgetPassword, makeKey, makeWebhook } from '../support/console.ts'
import { until } from '../support/poll.ts'
import { createContact } from '../support/tenants.ts'

// decision: Values of custom headers
describe('the values of custom headers in the console', function () {
  this.timeout(60_000)
  const use = useBrowser()

  it('stay hidden and stored while others are edited, until an admin gives the password to see them', async () => {
    const { page, open, client, id: adminId } = await use.admin()
    const headers = { authorization: 'Bearer of-the-customer', 'x-old': 'b' }
    const { id, path } = await makeWebhook(use.console, client, { headers })
    const member = await use.pageOf(await use.console.person('member'))
    await member.open(`/webhooks/${id}?tab=settings`)
    await member.page.getByText('Only an admin may see the values.').waitFor()
    await open(`/webhooks/${id}/edit`)
    await page.getByLabel('Value 2').fill('c')
    expect(await page.getByLabel('Value 1').inputValue()).to.equal('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByText('It arrived').waitFor()
    const sent = (await use.console.stack.receiver.next(path)).headers
    expect(sent).to.include({ ...headers, 'x-old': 'c' })
    await forgetPassword(use.console, adminId)
    await open(`/webhooks/${id}?tab=settings`)
    await page.getByRole('button', { name: 'Show values' }).click()
    await page
      .getByRole('dialog')
      .getByLabel(/^Password/)
      .fill(PASSWORD)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(`authorization: ${headers.authorization}`).waitFor()
    await open(`/webhooks/${id}/edit`)
    await page.getByRole('button', { name: 'Show values' }).click()
    await page.getByRole('button', { name: 'Show values' }).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Value 1').inputValue()).to.equal(headers.authorization)
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).to.equal(true)
  })
})

describe('irreversible actions on webhooks in the console', function () {
  this.timeout(60_000)
  const use = useBrowser()

  it('a new secret: the old one stops now, the new one is shown once, and Escape or Back do not hide it', async () => {
    const { page, open, client } = await use.admin()
    const { secret: old, path } = await makeWebhook(use.console, client)
    await open('/webhooks')
    await page.getByRole('link', { name: 'Contacts' }).click()
    await chooseAction(page, 'New secret')
    await page.getByText('The old secret stops now').waitFor()
    await page.getByRole('button', { name: 'Make a new secret' }).click()
    const secret = (await page.getByTestId('secret').textContent()) ?? ''
    expect(secret)
      .to.match(/^whsec_/)
      .and.not.equal(old)
    const stay = page.getByRole('button', { name: 'Stay' })
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Close, I do not need it' }).waitFor()
    await stay.click()
    await page.mouse.click(5, 400)
    await stay.click()
    await page.goBack()
    await stay.click()
    const asked = page.waitForEvent('dialog')
    await page.evaluate('void setTimeout(() => location.reload())')
    expect((await asked).type()).to.equal('beforeunload')
    await (await asked).dismiss()
    expect(await page.getByTestId('secret').textContent()).to.equal(secret)
    await storeSecret(page)
    await page.getByTestId('secret').waitFor({ state: 'detached' })
    expect(await page.content()).to.not.include(secret)
    const { receiver } = use.console.stack
    receiver.distrust(path)
    receiver.trust(path, secret)
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByText('It arrived').waitFor()
    expect((await receiver.next(path)).verified).to.equal(true)
  })

  it('a deletion says how many deliveries it cancels, and cancels them', async () => {
    const { page, open, client } = await use.admin()
    const slow = { max_retries: 1, retry_schedule: [3_600], name: 'Busy' }
    const { id, path } = await makeWebhook(use.console, client, slow)
    use.console.stack.receiver.behave(path, { status: 500 })
    await createContact(await makeKey(use.console))
    const deliveries = async () => (await client.call('GET', `/webhooks/${id}/deliveries`)).body.data
    const [delivery] = await until(deliveries, ([only]) => only?.status === 'retrying')
    await open(`/webhooks/${id}`)
    await chooseAction(page, 'Delete')
    await page.getByText('1 delivery that waits is cancelled.').waitFor()
    await page.getByLabel('Type Busy to confirm').fill('Busy')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No webhooks yet').waitFor()
    expect(page.url()).to.match(/\/webhooks$/)
    const row = () => use.console.stack.db('deliveries').where({ id: delivery.id }).first()
    await until(row, (found) => found?.closed_reason === 'webhook_deleted')
  })
})
