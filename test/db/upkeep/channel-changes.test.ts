import { expect } from 'chai'
import type { SystemDeps } from '../../../src/deps/deps.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { confirmChannel } from '../../../src/operations/notice/confirm-channel.ts'
import { updateChannel } from '../../../src/operations/notice/change-channel.ts'
import { testChannel } from '../../../src/operations/notice/test-channel.ts'
import { createChannels } from '../../../src/upkeep/channel-sender.ts'
import { useChannels } from '../../support/channels.ts'
import { runCommand, runCommandWith, usageErrorOf } from '../../support/operator-commands.ts'
import { answer } from '../../support/raw-endpoint.ts'
import { refusalOf } from '../../support/refusals.ts'
import { untilSo } from '../../support/poll.ts'
import type { Json } from '../../support/tenants.ts'

describe('changes of channels', () => {
  const use = useChannels()
  const { its, setup, companyOf, add, sendDue, told, shown, bodies, sendWhenWanted } = use
  let deps: SystemDeps
  before(() => (deps = use.deps))

  // decision: URLs of channels on the command line
  it('take their URL from stdin on the command line, and none from an argument', async () => {
    const words = ['notice', 'channel', 'add', '--company', companyOf(), '--kind', 'slack']
    const added: Json = await runCommandWith(deps, `${setup.endpoint.url}\n`, ...words)
    expect(added).to.include({ kind: 'slack', state: 'active' })
    await told(1, await its.newWebhook())
    await sendDue()
    expect(bodies()).to.have.length(1)
    const refusal = await usageErrorOf(deps, ...words, '--target', 'https://hooks.example.com/hunter2')
    expect(refusal)
      .to.match(/a URL is a secret/)
      .and.not.include('hunter2')
  })

  // decision: Changes of channels
  it('are changed in place: what waits goes to the new URL, and nobody overwrites what somebody else changed', async () => {
    setup.respond = (socket, index) => index > 0 && socket.write(answer(200, 'ok'))
    const { id } = await add('https', setup.endpoint.url)
    await told(1, await its.newWebhook({ name: 'Billing' }))
    const sends = createChannels(deps, { sender: setup.sender, mailer: undefined })
    await sends.look()
    await untilSo(() => setup.endpoint.requests.length === 1)
    const url = `${setup.endpoint.url}/hunter2`
    const words = ['notice', 'channel', 'change', '--company', companyOf(), '--id', id]
    const more = ['--new-url', '--name', 'On call', '--notices', 'webhook_gone', '--pause', '1h']
    const changed: Json = await runCommandWith(deps, url, ...words, ...more)
    expect(changed).to.include({ name: 'On call', pause_seconds: 3600, state: 'active', version: 2 })
    for (const socket of setup.endpoint.sockets) socket.destroy()
    await sends.settle()
    expect(await shown()).to.include({ failingSince: null, version: 2 })
    await sendDue()
    expect(setup.endpoint.requests.at(-1)).to.match(/^POST \/hook\/hunter2 /)
    expect(bodies().at(-1)).to.equal(bodies()[0])
    const { details } = await its.db('audit').where({ subject_id: id, action: 'channel.update' }).first()
    const fields = ['name', 'notice_kinds', 'pause_seconds', 'target']
    expect(JSON.parse(details as string)).to.deep.include({ fields })
    expect(details).to.not.include('hunter2')
    expect(await runCommand(deps, ...words, '--name', 'On call')).to.include({ version: 2 })
    const refused = runCommandWith(deps, 'https://10.0.0.1/x', ...words, '--new-url')
    expect(await refusalOf(refused)).to.match(/^VALIDATION_ERROR/)
  })

  // decision: Changes of channels
  it('that people switch off are told nothing, also not what waited, and no test that succeeds switches them on', async () => {
    const { id } = await add('slack')
    const switched = (isActive: boolean) => updateChannel(deps, companyOf(), COMMAND_LINE, id, { isActive })
    await told(1, await its.newWebhook())
    expect(await switched(false)).to.include({ state: 'paused' })
    await told(1, await its.newWebhook())
    const [{ success }] = await Promise.all([testChannel(deps, companyOf(), id), sendWhenWanted(id)])
    expect(success).to.equal(true)
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
    const change = ['notice', 'channel', 'change', '--company', companyOf(), '--id', id]
    const changed = await runCommand(deps, ...change, '--target', 'new@example.com')
    expect(changed).to.include({ target: 'n…@example.com', state: 'unconfirmed' })
    await told(1, await its.newWebhook())
    await sendDue()
    expect(use.received.map(({ to }) => to)).to.deep.equal([['new@example.com']])
    const [, code = ''] = /code: (\d{8})/.exec(use.received[0]!.raw) ?? []
    expect(await confirmChannel(deps, companyOf(), COMMAND_LINE, id, code)).to.include({ state: 'active' })
  })
})
