import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { COMMAND_LINE } from '../../src/domain/actor.ts'
import { createUser } from '../../src/operations/user/members.ts'
import { widthOf } from '../support/accessibility.ts'
import { createKey, fillKey, useBrowser, whenShown } from '../support/browser.ts'
import { make, makeKey, makeWebhook, PASSWORD } from '../support/console.ts'
import { until } from '../support/poll.ts'

const MARKUP = `<img src=x onerror=alert(1)><script>alert(2)</script>`
/** Reverses the text after it, so a name that ends in exe is shown as if it ended in png. */
const TURNED = '\u202Egnp.exe\u2066'
const NAME = `${MARKUP}${TURNED} ${'W'.repeat(150)}`
const LONG = `${MARKUP}${TURNED}${'W'.repeat(10_000)}`

describe('hostile text in the console', function () {
  this.timeout(120_000)
  const use = useBrowser()

  /** Hostile names, payload and answer. Returns the paths of the screens that show them, each with a text to expect. */
  async function hostileScreens(): Promise<readonly (readonly [path: string, shown: string])[]> {
    const { client } = await use.console.person('admin')
    const email = `"><img/src=x>.${Date.now()}@example.com`
    const input = { email, name: NAME, password: PASSWORD, role: 'member' } as const
    const user = await createUser(use.console.deps, use.console.companyId, COMMAND_LINE, input)
    const personal = { type: 'Personal', user_id: user.id, scopes: ['read:all'] }
    const named = { name: NAME, description: LONG.slice(0, 2_000) }
    const key = await make(client, '/keys', { ...personal, ...named })
    const webhook = await makeWebhook(use.console, client, { ...named, headers: { 'x-hostile': MARKUP } })
    const headers = { 'x-answer': `${MARKUP}${'W'.repeat(1_500)}`, 'set-cookie': 'session=taken' }
    use.console.stack.receiver.behave(webhook.path, { status: 500, body: LONG, headers })
    const custom = { [LONG]: { [NAME]: [LONG, { deep: { deeper: LONG } }] } }
    const apiKey = await makeKey(use.console)
    await apiKey.request('POST', '/api-v1-contacts', { name: NAME, custom })
    const [delivery] = await until(
      async () => (await client.call('GET', `/webhooks/${webhook.id}/deliveries`)).body.data,
      ([only]) => only?.status === 'failed',
    )
    const { body } = await client.call('GET', `/webhooks/${webhook.id}/deliveries/${delivery.id as string}`)
    const kept = body.data.attempt_log[0].response_headers as Record<string, string>
    expect(kept['x-answer']).to.have.length(256).and.include(MARKUP)
    expect(JSON.stringify(kept)).to.not.match(/cookie|taken/)
    const told = { event: 'contact.created', subject: NAME.slice(0, 100), data: { [LONG]: 1 } }
    const published = await apiKey.request('POST', '/api-v1-events', { ...told, previous: { [LONG]: LONG } })
    return [
      ['/keys', 'onerror'],
      ['/keys/new', 'Create key'],
      [`/keys/${key.id as string}`, 'onerror'],
      [`/keys/${key.id as string}?tab=settings`, 'Expires'],
      [`/keys/${key.id as string}?tab=history`, 'created the key'],
      ['/webhooks', 'onerror'],
      [`/webhooks/${webhook.id}`, 'The endpoint answered 500'],
      [`/webhooks/${webhook.id}?tab=settings`, 'x-hostile'],
      [`/webhooks/${webhook.id}?tab=history`, 'created the webhook'],
      [`/webhooks/${webhook.id}/edit`, 'contact.created'],
      [`/events/${published.body.data.id as string}`, 'What changed'],
      ['/deliveries', 'onerror'],
      ['/events', 'onerror'],
      [`/deliveries/${webhook.id}/${delivery.id as string}`, 'Why it did not arrive'],
      ['/users', 'onerror'],
      [`/users/${user.id}`, 'Reset password'],
      ['/account', 'Second factor'],
    ]
  }

  /** Expects that no text became an element, and that no element is wider than the screen. */
  async function expectTextOnly(page: Page, what: string, width: number): Promise<void> {
    const count = `document.querySelectorAll('#root img, #root script, [onerror]').length`
    const made = await page.evaluate<number>(count)
    expect(made, `elements at ${what}`).to.equal(0)
    expect(await widthOf(page), what).to.be.at.most(width)
  }

  it('is text on every screen, none of which becomes wider than it is; of ten thousand characters it is cut, and shown whole to who asks', async () => {
    const screens = await hostileScreens()
    const { page, open, visit, id } = await use.admin()
    const { db } = use.console.stack
    await db('users').where({ id }).update({ name: NAME })
    await db('companies').where({ id: use.console.companyId }).update({ name: NAME })
    await open('/keys')
    for (const width of [1_280, 320]) {
      await page.setViewportSize({ width, height: 900 })
      for (const [path, shown] of screens) {
        await visit(path)
        await whenShown(page, shown)
        await expectTextOnly(page, path, width)
      }
    }

    const [path = ''] = screens.find(([each]) => each.startsWith('/deliveries/')) ?? []
    await visit(path)
    const answer = page.getByRole('region', { name: 'Body of the response to attempt 1' })
    expect((await answer.textContent())?.length).to.equal(4_000)
    const more = page.getByRole('button', { name: /^Show all/ })
    while ((await more.count()) > 0) await more.first().click()
    expect(await answer.textContent()).to.equal(LONG)
    await expectTextOnly(page, 'the whole answer', 320)
    const closed = page.locator('details:not([open]) > summary').filter({ visible: true })
    while ((await closed.count()) > 0) await closed.first().click()
    await expectTextOnly(page, 'the whole tree', 320)
    for (const tab of ['Raw', 'Request']) {
      await page.getByRole('tab', { name: tab }).click()
      await page
        .getByRole('tabpanel')
        .getByRole('button', { name: /^Show all/ })
        .click()
      await expectTextOnly(page, tab, 320)
    }
  })

  it('stays in the field that refuses it, whose message keeps the width, is shown in dialogs, and typed by who confirms', async () => {
    const { page, open, visit, client } = await use.admin({ width: 320 })
    const { id } = await make(client, '/keys', { name: NAME, type: 'Shared', scopes: ['read:all'] })
    await open(`/keys/${id as string}`)
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill(NAME)
    await expectTextOnly(page, 'the dialog', 320)
    await page.getByRole('button', { name: 'Revoke for good' }).click()
    await page.locator('.status', { hasText: 'revoked' }).waitFor()
    await visit('/keys/new')
    await page.getByLabel('IP allowlist').fill(`10.0.0.1\n${LONG}`)
    await page.getByText(/^Line 2: /).waitFor()
    await fillKey(page, NAME)
    await createKey(page)
    await page.getByText('Please correct the form').waitFor()
    expect(await page.getByLabel('IP allowlist').inputValue()).to.equal(`10.0.0.1\n${LONG}`)
    expect(await page.getByLabel(/^Name/).inputValue()).to.equal(NAME)
    await expectTextOnly(page, 'the form', 320)
  })
})
