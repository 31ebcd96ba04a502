import { expect } from 'chai'
import { cliResult } from '../../support/cli.ts'
import { cliOnTerminal } from '../../support/terminal.ts'
import { useCli } from '../../support/use-cli.ts'

describe('the password of a new user', () => {
  const its = useCli()
  let create: readonly string[]
  before(async () => {
    const { id } = await its.run('company', 'create', '--name', 'Acme')
    create = ['user', 'create', '--company', id, '--name', 'A', '--email']
  })

  const fromInput = (email: string, input: string) =>
    cliResult([...create, email, '--json'], its.environment, { input })

  // decision: Passwords on the command line
  it('comes from stdin, without its last line break, where it is not an argument', async () => {
    const { exitCode, stdout } = await fromInput('stdin@example.com', 'correct horse\n')
    expect(exitCode, stdout).to.equal(0)
    expect(JSON.parse(stdout)).to.have.all.keys('id')
    const short = await fromInput('short@example.com', '1234567\n')
    expect(short.stdout).to.include('at least 8 characters')
    const none = await fromInput('none@example.com', '')
    expect([none.exitCode, none.stdout]).to.deep.equal([
      2,
      '{"error":{"code":"INVALID_USAGE","message":"--password is needed, or its value on stdin."}}',
    ])
  })

  it('is asked for on a terminal, which does not show it', async () => {
    const asked = { question: 'Password: ', answer: 'correct horse\r' }
    const { exitCode, shown } = await cliOnTerminal([...create, 'asked@example.com'], its.environment, asked)
    expect(exitCode, shown).to.equal(0)
    expect(shown)
      .to.match(/id: +usr_/)
      .and.not.include('horse')
  })
})
