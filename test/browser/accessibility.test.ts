import { expect } from 'chai'
import { COMMAND_LINE } from '../../src/domain/actor.ts'
import { inviteUser } from '../../src/operations/user/invite.ts'
import { faultsInBothSchemes, faultsOfWidth, focused, tabTo } from '../support/accessibility.ts'
import { useBrowser, whenShown } from '../support/browser.ts'
import { makeKey } from '../support/console.ts'
import { makeNotice } from '../support/notices.ts'

const WEBHOOK = { name: 'Failing', events: ['contact.created'], headers: { 'x-a': 'b' }, max_retries: 0 }

/** An event about a subject, with its changed fields. */
const CHANGED = { event: 'task.completed', subject: '4', data: { name: 'Ada' }, previous: { name: 'Eda' } }

describe('the screens of the console', function () {
  this.timeout(120_000)
  const use = useBrowser()

  /** A company with a key, a failing webhook and a failed delivery. Returns the screens' paths with a text of each. */
  async function filledScreens(): Promise<readonly (readonly [path: string, shown: string])[]> {
    const { client } = await use.console.person('admin')
    const made = async (path: string, body: object) => {
      const answer = await client.call('POST', path, body)
      expect(answer.status).to.be.oneOf([200, 201, 202])
      return answer.body.data
    }
    const key = await made('/keys', { name: 'Sync', scopes: ['read:all'], type: 'Shared' })
    const { receiver } = use.console.stack
    const webhook = await made('/webhooks', { ...WEBHOOK, url: receiver.url('/failing') })
    receiver.trust('/failing', webhook.secret)
    receiver.behave('/failing', { status: 500 })
    const test = await made(`/webhooks/${webhook.id as string}/test`, {})
    // Its recovery stays queued, because the webhook is inactive.
    const idle = await made('/webhooks', { ...WEBHOOK, url: receiver.url('/idle'), is_active: false })
    const begun = await made(`/webhooks/${idle.id as string}/recover`, { since: '2020-01-01T00:00:00Z' })
    expect(begun.status).to.equal('queued')
    const tenant = { companyId: use.console.companyId, environment: 'live' } as const
    const { body } = await (await makeKey(use.console)).request('POST', '/api-v1-events', CHANGED)
    const published = body.data
    await makeNotice(use.console.stack.db, tenant, 'webhook_gone', { targetId: webhook.id as string })
    // The host does not exist. The tests' receiver would refuse messages to Slack, because they are unsigned.
    await made('/channels', { kind: 'slack', target: 'https://slack.invalid/services/T1' })
    return [
      ['/overview', 'Endpoints in the last 24 hours, worst first'],
      ['/keys', 'Sync'],
      ['/keys/new', 'Create key'],
      [`/keys/${key.id as string}`, 'No request yet'],
      [`/keys/${key.id as string}?tab=allowlist`, 'Save allowlist'],
      [`/keys/${key.id as string}?tab=settings`, 'Save'],
      [`/keys/${key.id as string}?tab=history`, 'created the key'],
      ['/webhooks', 'Failing'],
      ['/webhooks/new', 'contact.created'],
      ['/webhooks/receiving', 'Check that it is ours'],
      [`/webhooks/${webhook.id as string}`, 'failed'],
      [`/webhooks/${idle.id as string}?tab=recoveries`, 'the recovery waits'],
      [`/webhooks/${webhook.id as string}?tab=recoveries`, 'Nothing was recovered yet'],
      [`/webhooks/${webhook.id as string}?tab=metrics`, 'No attempt was made'],
      [`/webhooks/${webhook.id as string}?tab=settings`, 'Custom headers'],
      [`/webhooks/${webhook.id as string}?tab=history`, 'created the webhook'],
      [`/webhooks/${webhook.id as string}?tab=docs`, 'Check that it is ours'],
      [`/webhooks/${webhook.id as string}/edit`, 'contact.created'],
      ['/deliveries', 'evt_test_'],
      ['/deliveries?within=own', 'From (your time)'],
      [`/deliveries/${webhook.id as string}/${test.delivery_id as string}`, 'Why it did not arrive'],
      ['/notices', 'answered 410 Gone'],
      ['/channels', 'Slack'],
      ['/events', 'evt_test_'],
      ['/events?tab=catalog', 'contact.created'],
      [`/events/${published.id as string}`, 'It was inactive then'],
      ['/users', 'Member since'],
      ['/users/new', 'Write scopes'],
      ['/audit', 'Export CSV'],
      ['/account', 'Where you are signed in'],
    ]
  }

  const expectNone = (faults: Record<string, string[]>) =>
    expect(Object.entries(faults).filter(([, found]) => found.length > 0)).to.deep.equal([])

  it('meet WCAG 2.2 AA as far as axe can tell, light and dark, before the sign-in and in the sandbox', async () => {
    const out = await use.page()
    await out.open('/keys')
    await out.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const faults: Record<string, string[]> = { 'sign-in': await faultsInBothSchemes(out.page) }
    const { companyId, deps } = use.console
    const guest = { email: 'guest@example.com', role: 'member' as const }
    const { url } = await inviteUser(deps, companyId, COMMAND_LINE, guest)
    await out.page.goto(`${use.console.stack.api.url}/console/join${new URL(url ?? '').hash}`)
    await out.page.getByRole('heading', { name: 'Join Test company' }).waitFor()
    faults['join'] = await faultsInBothSchemes(out.page)
    const shown = await use.admin()
    await shown.open('/overview', 'test')
    await whenShown(shown.page, 'Send a test event')
    faults['sandbox'] = await faultsInBothSchemes(shown.page)
    expectNone(faults)
  })

  it('meet WCAG 2.2 AA as far as axe can tell, light and dark, and fit a width of 320 pixels', async () => {
    const { page, open, visit } = await use.admin()
    const faults: Record<string, string[]> = {}
    const screens = await filledScreens()
    await open('/keys')
    for (const [path, text] of screens) {
      await visit(path)
      await whenShown(page, text)
      faults[path] = [...(await faultsInBothSchemes(page)), ...(await faultsOfWidth(page))]
    }
    expectNone(faults)
  }).timeout(240_000)

  it('let a key be made by keyboard alone, and skip to the content', async () => {
    const { page, open } = await use.admin()
    await open('/keys')
    await page.getByText('No API keys yet', { exact: false }).waitFor()
    expect(await focused(page)).to.equal('API keys')
    await tabTo(page, /^Create API key/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Create API key' }).waitFor()
    await tabTo(page, /^Name/)
    await page.keyboard.type('By keyboard')
    await tabTo(page, /^read:all/)
    await page.keyboard.press('Space')
    await tabTo(page, /^Create key/)
    await page.keyboard.press('Enter')
    await page.getByTestId('secret').waitFor()
    await tabTo(page, /^I have stored/)
    await page.keyboard.press('Space')
    await tabTo(page, /^Done/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'By keyboard' }).waitFor()
    await page.getByRole('link', { name: 'Skip to the content' }).focus()
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).to.equal('content')
  })
})
