// Real receivers: an HTTPS server, behind the sender of webhooks with its guard, and an SMTP server.
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { takeNew } from '../../../src/db/notice/batches.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import type { Db } from '../../../src/db/connection/connection.ts'
import { newId } from '../../../src/domain/ids.ts'
import { CHANNELS_PER_COMPANY, CODE_TRIES } from '../../../src/domain/notice/channel.ts'
import { addChannel, removeChannel } from '../../../src/operations/notice/channels.ts'
import { confirmChannel, testChannel } from '../../../src/operations/notice/verify-channel.ts'
import { createChannels } from '../../../src/upkeep/channel-sender.ts'
import { useChannels } from '../../support/channels.ts'
import { createKeyring, refusalOf } from '../../support/use-operations.ts'
import { whileOpen } from '../../support/lock-waits.ts'
import { makeNotice, noticesAbout } from '../../support/notices.ts'
import { runCommand } from '../../support/operator-commands.ts'
import { untilIs, untilSo } from '../../support/poll.ts'
import { answer } from '../../support/raw-endpoint.ts'
import type { Json } from '../../support/tenants.ts'

// decision: Channels for notices
// decision: Tests of channels
// decision: Mail addresses of channels
describe('channels for notices', () => {
  const use = useChannels()
  const { its, setup, companyOf, add, sendDue, told, rowOf, due, shown, bodies, tested, codeMailed } = use

  it('get one message for many notices, which names the webhook and says how many more there are, and no second before the pause', async () => {
    const webhookId = await its.newWebhook({ name: 'Billing <1>' })
    const { id } = await add('slack', setup.endpoint.url, { noticeKinds: ['deliveries_failed'] })
    await told(23, webhookId)
    await told(1, webhookId, 'webhook_gone')
    await sendDue()
    const { text } = JSON.parse(bodies()[0]!) as { text: string }
    expect(text).to.match(/^Billing &lt;1&gt;: .*And 3 more\./s)
    await told(1, await its.newWebhook())
    await sendDue()
    expect(setup.endpoint.requests).to.have.length(1)
    await due(id)
    await sendDue()
    expect(bodies()).to.have.length(2)
    expect(await shown()).to.include({ state: 'active', failingSince: null })
  })

  it('show what Slack answered and since when, come again with the same notices, and are switched off after days until a test succeeds', async () => {
    setup.respond = (socket) => socket.write(answer(404, 'no_service'))
    const { id } = await add('slack')
    await told(1, await its.newWebhook({ name: 'Billing' }))
    await sendDue()
    await sendDue()
    const failing = await shown()
    expect(failing).to.include({ lastError: 'HTTP 404: no_service' }).and.not.include({ failingSince: null })
    await told(1, await its.newWebhook({ name: 'Later' }))
    await due(id)
    await sendDue()
    expect(bodies()).to.have.length(2)
    expect(bodies()[1]).to.equal(bodies()[0])
    const failing_since = its.db.raw('NOW(3) - INTERVAL 73 HOUR')
    await its.set('notice_channels', { id }, { failing_since, due_at: new Date(0) })
    await sendDue()
    expect(await shown()).to.include({ state: 'off' })
    const notices = await noticesAbout(its.db, id).select('kind', 'error')
    expect(notices).to.deep.equal([{ kind: 'channel_off', error: 'http_404' }])
    await told(1, await its.newWebhook())
    await sendDue()
    expect(bodies()).to.have.length(3)
    expect(await tested(id)).to.deep.equal({ success: false, answer: 'HTTP 404: no_service' })
    setup.respond = (socket) => socket.write(answer(200, 'ok'))
    expect(await tested(id)).to.deep.equal({ success: true, answer: 'HTTP 200: ok' })
    expect(await shown()).to.include({ state: 'active', failingSince: null })
  })

  it('are tested two at a time by a company, so that slow ones leave the places of its changes alone', async () => {
    const [first, second, third] = [await add('slack'), await add('slack'), await add('slack')]
    const running = [first, second].map(({ id }) => testChannel(use.deps, companyOf(), id))
    const refusal = await refusalOf(testChannel(use.deps, companyOf(), third.id))
    expect(refusal).to.match(/^RATE_LIMITED: 2 tests of/)
    const other = (await createKeyring(use.deps)).companyId
    expect(await refusalOf(testChannel(use.deps, other, first.id))).to.match(/^NOT_FOUND/)
    for (const { id } of [first, second])
      await untilIs(async () => (await rowOf(id)).test_wanted as number, 1)
    await sendDue()
    expect(await Promise.all(running)).to.deep.equal(Array(2).fill({ success: true, answer: 'HTTP 200: ok' }))
    expect(await tested(third.id)).to.include({ success: true })
  })

  it('get no message again that came while its worker stopped', async () => {
    const sends = createChannels(use.deps, { sender: setup.sender, mailer: undefined })
    setup.respond = (socket) => {
      sends.stop()
      socket.write(answer(200, 'ok'))
    }
    const { id } = await add('slack')
    await told(1, await its.newWebhook())
    await sends.look()
    await sends.close()
    expect(await rowOf(id)).to.include({ message: null, due_at: null })
  })

  it('are tested at once after a message that is on its way, whatever becomes of that', async () => {
    const { id } = await add('slack')
    for (const status of [200, 500]) {
      let testing: Promise<unknown> | undefined
      setup.respond = (socket) => {
        const own = testing ? 200 : status
        testing ??= testChannel(use.deps, companyOf(), id)
        const isAsked = untilIs(async () => (await rowOf(id)).test_wanted as number, 1)
        void isAsked.then(() => socket.write(answer(own, 'ok')))
      }
      await told(1, await its.newWebhook())
      await due(id)
      await sendDue()
      await sendDue()
      expect(await rowOf(id)).to.include({ test_wanted: 0 })
      expect(await testing).to.deep.equal({ success: true, answer: 'HTTP 200: ok' })
    }
  })

  it('at an HTTPS endpoint are signed with a secret that was shown once, with the same id and bytes at each try', async () => {
    setup.respond = (socket, index) => socket.write(answer(index === 0 ? 500 : 200))
    const webhookId = await its.newWebhook({ name: 'Billing' })
    const { id, secret } = await add('https')
    await told(2, webhookId)
    await sendDue()
    await due(id)
    await sendDue()
    expect(setup.endpoint.requests).to.have.length(2)
    const [first, second] = setup.endpoint.requests.map((request, index) => {
      const found = [...request.matchAll(/^(webhook-[\w-]+): (.*)\r$/gm)]
      const headers = found.map(([, name, value]) => [name, value])
      return new Webhook(secret!).verify(bodies()[index]!, Object.fromEntries(headers)) as Json
    })
    expect(second).to.deep.equal(first)
    const named = first.data.map(({ name, webhook_id }: Json) => [name, webhook_id])
    expect(named).to.deep.equal(Array(2).fill(['Billing', webhookId]))
  })

  it('reach no private address, whatever it is called', async () => {
    const strict = its.depsWith()
    const wanted = { kind: 'slack' as const, target: 'https://10.0.0.1/x' }
    const refused = addChannel(strict, companyOf(), COMMAND_LINE, wanted)
    expect(await refusalOf(refused)).to.match(/^VALIDATION_ERROR/)
    setup.answerTo = () => ['127.0.0.1']
    const { port } = new URL(setup.endpoint.url)
    await add('slack', `https://hook.example:${port}/`)
    await told(1, await its.newWebhook())
    const guarded = setup.createSender({ allowedNetworks: [] })
    await sendDue(guarded)
    await guarded.close()
    expect(setup.endpoint.sockets).to.have.length(0)
    expect((await shown())?.lastError).to.equal('The address was not reached: dns_error')
  })

  it('mail nothing but a code to an address until that was given, and take no code after five wrong ones', async () => {
    const { id } = await add('email', 'ops@example.com')
    await told(1, await its.newWebhook({ name: 'Billing' }))
    await sendDue()
    expect(use.received).to.have.length(1)
    const code = codeMailed()
    const give = (text: string, channelId = id) =>
      confirmChannel(use.deps, companyOf(), COMMAND_LINE, channelId, text)
    const wrong = code === '00000000' ? '11111111' : '00000000'
    expect(await refusalOf(give(wrong))).to.match(/^INVALID_REQUEST: This is not the code/)
    expect(await give(code)).to.include({ state: 'active', target: 'o…@example.com' })
    await told(1, await its.newWebhook({ name: 'Billing' }))
    const server = { SMTP_URL: 'smtp://127.0.0.1:1', SMTP_FROM: 'alerts@example.com' }
    await sendDue(setup.sender, its.depsWith(server))
    expect((await shown())?.lastError).to.include('ECONNREFUSED')
    await due(id)
    await sendDue()
    expect(use.received).to.have.length(2)
    expect(use.received[1]!.raw).to.match(/^Subject: Billing: /m)
    const other = await add('email', 'other@example.com')
    for (let tries = 0; tries < CODE_TRIES; tries++) await refusalOf(give(wrong, other.id))
    expect(await refusalOf(give(wrong, other.id))).to.include('Too many wrong codes')
  })

  it('are few for each company, sealed at rest, masked for people, and gone with what waits when they are removed', async () => {
    const ids: string[] = []
    for (let n = 0; n < CHANNELS_PER_COMPANY; n++)
      ids.push((await add('slack', `https://127.0.0.1/hunter2-${n}`)).id)
    expect(await refusalOf(add('slack'))).to.match(/^CONFLICT: .*10 channels/)
    expect(JSON.stringify(await its.db('notice_channels'))).to.not.include('hunter2')
    const listed: Json = await runCommand(use.deps, 'notice', 'channel', 'list', '--company', companyOf())
    expect(listed.data).to.have.length(CHANNELS_PER_COMPANY)
    const shown = { kind: 'slack', target: 'https://127.0.0.1/…', state: 'active', pause_seconds: 300 }
    expect(listed.data[0]).to.include(shown)
    await removeChannel(use.deps, companyOf(), COMMAND_LINE, ids[0]!)
    expect(await its.actions(ids[0]!)).to.deep.equal(['channel.create', 'channel.remove'])
    const foreign = testChannel(use.deps, newId('company'), ids[1]!)
    expect(await refusalOf(foreign)).to.equal('NOT_FOUND: Channel not found.')
  })

  // decision: Locks
  it('that another transaction locks get their notices later, and those of other companies get theirs', async () => {
    const webhookId = await its.newWebhook()
    const { id } = await add('slack')
    await makeNotice(its.db, { companyId: 'com_2', environment: 'live' }, 'webhook_gone')
    const lock = (trx: Db) => trx('notice_channels').where({ id }).forUpdate()
    await whileOpen(its.db, lock, () => told(1, webhookId))
    const isNew = () => its.db('notices').where({ state: 'new' }).pluck('target_id')
    expect([await isNew(), (await rowOf(id)).pending]).to.deep.equal([[webhookId], null])
    await told(0, webhookId)
    expect([await isNew(), (await rowOf(id)).pending === null]).to.deep.equal([[], false])
  })

  it('that hang delay those of no other company', async () => {
    setup.respond = (socket, index) => index === 2 && socket.write(answer(200))
    for (let n = 0; n < CHANNELS_PER_COMPANY; n++) await add('slack')
    await told(1, await its.newWebhook())
    const sends = createChannels(use.deps, { sender: setup.sender, mailer: undefined })
    await sends.look()
    // The two hanging messages use the first two connections.
    await untilIs(() => setup.endpoint.requests.length, 2)
    const hung = companyOf()
    const before = await its.db('notice_channels').where({ company_id: hung, tries: 1 })
    expect(before).to.have.length(2)
    const other = (await createKeyring(use.deps)).companyId
    const { id } = await add('slack', setup.endpoint.url, {}, other)
    await makeNotice(its.db, { companyId: other, environment: 'live' }, 'webhook_gone')
    await takeNew(its.db, 'done', 1_000, { after: '' })
    await sends.look()
    await untilSo(async () => (await rowOf(id)).last_sent_at !== null)
    for (const socket of setup.endpoint.sockets) socket.destroy()
    await sends.close()
  })
})
