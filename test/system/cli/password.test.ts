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

  // decision: Passwords on the command line
  it('comes from stdin, without its last line break, where it is not an argument', async () => {
    const run = (email: string, input: string) =>
      cliResult([...create, email, '--json'], its.environment, { input })
    for (const [input, exitCode, stdout] of [
      ['correct horse\n', 0, /^{"id":"usr_/],
      ['1234567\n', 1, /at least 8 characters/],
      [
        '',
        2,
        /^{"error":{"code":"INVALID_USAGE","message":"--password is needed, or its value on stdin\."}}$/,
      ],
    ] as const) {
      const result = await run('stdin@example.com', input)
      expect(result.exitCode, result.stdout).to.equal(exitCode)
      expect(result.stdout).to.match(stdout)
    }
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
