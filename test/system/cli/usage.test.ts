import { expect } from 'chai'
import { UsageError } from '../../../src/cli/command.ts'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { parseCommandLine } from '../../../src/cli/parse.ts'
import { SCOPES } from '../../../src/domain/key/scopes.ts'
import { cliResult } from '../../support/cli.ts'

describe('the usage of the command line', () => {
  const result = (...args: string[]) => cliResult(args, {})

  it('shows the commands by group to who names none, on stderr with exit code 2', async () => {
    const none = await result()
    expect([none.exitCode, none.stdout]).to.deep.equal([2, ''])
    expect(none.stderr).to.equal((await result('--help')).stdout)
    expect(none.stderr).to.match(/^API keys:\n {2}key create /m)
    const noun = await result('key')
    expect(noun.exitCode).to.equal(2)
    expect(noun.stderr).to.include('key rotate').and.not.include('event publish')
  })

  it('lists every scope in the help of the commands that take scopes', async () => {
    for (const command of ['create', 'update']) {
      const { stdout } = await result('key', command, '--help')
      for (const scope of SCOPES) expect(stdout).to.include(`\n  ${scope} `)
    }
  })

  it('says in one sentence what is wrong with the arguments', async () => {
    const cases: (readonly [string, readonly string[]])[] = [
      ["Unknown option '--nam'. (Did you mean --name?)", ['company', 'create', '--nam', 'a']],
      ["Unknown command 'lst'. (Did you mean list?)", ['key', 'lst']],
      ['key create needs --name, --scopes.', ['key', 'create', '--company', 'com_1']],
      ["Option '--name <NAME>' argument missing.", ['company', 'create', '--name']],
      ['--name needs a value.', ['company', 'create', '--name', '--json']],
      ['--name is given more than once.', ['company', 'create', '--name', 'a', '--name=b']],
    ]
    for (const [sentence, args] of cases)
      expect(() => parseCommandLine(COMMANDS, args), args.join(' ')).to.throw(UsageError, sentence)
    // What the program prints of it, for people and with --json.
    for (const [sentence, args] of [cases[0]!, cases[4]!]) {
      const { exitCode, stdout, stderr } = await result(...args)
      expect(exitCode).to.equal(2)
      expect(`${stdout}${stderr}`, args.join(' ')).to.include(sentence)
    }
  })
})
