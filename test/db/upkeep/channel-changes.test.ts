// Real receivers: an HTTPS server, behind the sender of webhooks with its guard, and an SMTP server.
import { expect } from 'chai'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { confirmChannel } from '../../../src/operations/notice/verify-channel.ts'
import { createChannels } from '../../../src/upkeep/channel-sender.ts'
import { useChannels } from '../../support/channels.ts'
import { refusalOf } from '../../support/use-operations.ts'
import { runCommand, runCommandWith, usageErrorOf } from '../../support/operator-commands.ts'
import { untilSo } from '../../support/poll.ts'
import { answer } from '../../support/raw-endpoint.ts'
import type { Json } from '../../support/tenants.ts'
import { updateChannel } from '../../../src/operations/notice/change-channel.ts'
import { words } from '../../support/words.ts'

describe('changes of channels', () => {
  const use = useChannels()
  const { its, setup, companyOf, add, sendDue, told, shown, bodies, tested, codeMailed } = use

  // decision: URLs of channels on the command line
  it('take their URL from stdin or from --target on the command line', async () => {
    const add = `notice channel add --company ${companyOf()} --kind slack`
    const added: Json = await runCommandWith(use.deps, `${setup.endpoint.url}\n`, ...words(add))
    expect(added).to.include({ kind: 'slack', state: 'active' })
    await told(1, await its.newWebhook())
    await sendDue()
    expect(bodies()).to.have.length(1)
    const argued: Json = await runCommand(use.deps, ...words(`${add} --target ${setup.endpoint.url}`))
    expect(argued).to.include({ kind: 'slack', target: added.target })
    const change = words(`notice channel change --company ${companyOf()} --id ${argued.id} --new-url`)
    expect(await usageErrorOf(use.deps, ...change, '--target', 'x')).to.include('--target or --new-url')
    expect(await usageErrorOf(use.deps, ...words(add.replace('slack', 'email')))).to.include('--target is')
  })

  // decision: Changes of channels
  it('are changed in place: what waits goes to the new URL, and nobody overwrites what somebody else changed', async () => {
    setup.respond = (socket, index) => index > 0 && socket.write(answer(200, 'ok'))
    const { id } = await add('https', setup.endpoint.url)
    await told(1, await its.newWebhook({ name: 'Billing' }))
    const sends = createChannels(use.deps, { sender: setup.sender, mailer: undefined })
    await sends.look()
    await untilSo(() => setup.endpoint.requests.length === 1)
    const url = `${setup.endpoint.url}/hunter2`
    const change = words(`notice channel change --company ${companyOf()} --id ${id}`)
    const more = words('--new-url --name Oncall --notices webhook_gone --pause 1h')
    const changed: Json = await runCommandWith(use.deps, url, ...change, ...more)
    expect(changed).to.include({ name: 'Oncall', pause_seconds: 3600, state: 'active', version: 2 })
    for (const socket of setup.endpoint.sockets) socket.destroy()
    await sends.close()
    expect(await shown()).to.include({ failingSince: null, version: 2 })
    await sendDue()
    expect(setup.endpoint.requests.at(-1)).to.match(/^POST \/hook\/hunter2 /)
    expect(bodies().at(-1)).to.equal(bodies()[0])
    const { details } = await its.db('audit').where({ subject_id: id, action: 'channel.update' }).first()
    const fields = ['name', 'notice_kinds', 'pause_seconds', 'target']
    expect(JSON.parse(details as string)).to.deep.include({ fields })
    expect(details).to.not.include('hunter2')
    expect(await runCommand(use.deps, ...change, '--name', 'Oncall')).to.include({ version: 2 })
    const refused = runCommandWith(use.deps, 'https://10.0.0.1/x', ...change, '--new-url')
    expect(await refusalOf(refused)).to.match(/^VALIDATION_ERROR/)
  })

  // decision: Changes of channels
  it('that people switch off are told nothing, also not what waited, and no test that succeeds switches them on', async () => {
    const { id } = await add('slack')
    const switched = (isActive: boolean) =>
      updateChannel(use.deps, companyOf(), COMMAND_LINE, id, { isActive })
    await told(1, await its.newWebhook())
    expect(await switched(false)).to.include({ state: 'paused' })
    await told(1, await its.newWebhook())
    expect(await tested(id)).to.include({ success: true })
    expect(await shown()).to.include({ state: 'paused' })
    expect(await switched(true)).to.include({ state: 'active' })
    await sendDue()
    expect(bodies()).to.have.length(1)
  })

  // decision: Changes of channels
  it('mail nothing to another address before its own code, and drop what waited for the former one', async () => {
    const { id } = await add('email', 'ops@example.com')
    await its.set('notice_channels', { id }, { confirmed_at: new Date(), secret_sealed: null })
    await told(1, await its.newWebhook({ name: 'Billing' }))
    await its.empty('mails')
    const change = `notice channel change --company ${companyOf()} --id ${id} --target new@example.com`
    const changed = await runCommand(use.deps, ...words(change))
    expect(changed).to.include({ target: 'n…@example.com', state: 'unconfirmed' })
    await told(1, await its.newWebhook())
    await sendDue()
    expect(use.received.map(({ to }) => to)).to.deep.equal([['new@example.com']])
    const confirmed = await confirmChannel(use.deps, companyOf(), COMMAND_LINE, id, codeMailed())
    expect(confirmed).to.include({ state: 'active' })
  })
})
