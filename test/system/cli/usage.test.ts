import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { execa } from 'execa'
import { UsageError } from '../../../src/cli/command.ts'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { parseCommandLine, wantsJson } from '../../../src/cli/parse.ts'
import { SCOPES } from '../../../src/domain/key/scopes.ts'
import { cliResult } from '../../support/cli.ts'

describe('the usage of the command line', () => {
  const result = (...args: string[]) => cliResult(args, {})
  const helpOf = (...args: string[]): string => {
    const parsed = parseCommandLine(COMMANDS, args)
    if (parsed.kind !== 'help') throw new Error(`${args.join(' ')} asks for no help`)
    return parsed.text
  }

  it('shows the commands by group to who names none, on stderr with exit code 2, as --help does on stdout', async () => {
    const [none, all] = [await result(), await result('--help')]
    expect([none.exitCode, none.stdout, all.exitCode, all.stderr]).to.deep.equal([2, '', 0, ''])
    expect(none.stderr).to.equal(all.stdout)
    expect(all.stdout).to.match(/^API keys:\n {2}key create /m)
    for (const name of ['migrate', 'rollback', 'user remove', 'key rotate', 'event publish']) {
      expect(all.stdout).to.include(name)
    }
    const noun = await result('key')
    expect(noun.exitCode).to.equal(2)
    expect(noun.stderr).to.include('key rotate').and.not.include('event publish')
  })

  it('describes the options of a command, and lists every scope where scopes are taken', () => {
    expect(helpOf('key', 'rotate', '--help'))
      .to.include('--grace <GRACE>')
      .and.include('1h, 6h, 24h, 48h or 7d')
    for (const command of ['create', 'update']) {
      for (const scope of SCOPES) expect(helpOf('key', command, '--help')).to.include(`\n  ${scope} `)
    }
  })

  it('takes --json and --help before the command as well as behind it', async () => {
    for (const args of [
      ['--json', 'key', 'list', '--company', 'com_1'],
      ['key', 'list', '--json', '--company', 'com_1'],
      ['key', 'list', '--company', 'com_1', '--json'],
    ]) {
      const parsed = parseCommandLine(COMMANDS, args)
      expect(parsed).to.have.nested.property('command.name', 'key list')
      expect(parsed).to.have.nested.property('values.company', 'com_1')
      expect(wantsJson(args), args.join(' ')).to.equal(true)
    }
    expect(helpOf('--help', 'key', 'rotate')).to.equal(helpOf('key', 'rotate', '--help'))
    for (const args of [['--json'], ['--json', 'key', 'frobnicate']]) {
      const { exitCode, stdout, stderr } = await result(...args)
      expect([exitCode, stderr], args.join(' ')).to.deep.equal([2, ''])
      expect(JSON.parse(stdout)).to.have.nested.property('error.code', 'INVALID_USAGE')
    }
  })

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(await result('--version')).to.deep.equal({ exitCode: 0, stdout: version, stderr: '' })
  })

  it('says in one sentence what is wrong with the arguments', async () => {
    const cases: (readonly [string, readonly string[]])[] = [
      ["Unknown option '--nam'. (Did you mean --name?)", ['company', 'create', '--nam', 'a']],
      ["Unknown command 'lst'. (Did you mean list?)", ['key', 'lst']],
      ['key create needs --name, --scopes.', ['key', 'create', '--company', 'com_1']],
      ["Option '--name <NAME>' argument missing.", ['company', 'create', '--name']],
      ['--name needs a value.', ['company', 'create', '--name', '--json']],
      ['--name is given more than once.', ['company', 'create', '--name', 'a', '--name=b']],
      ['--json is given more than once.', ['--json', 'key', 'list', '--company', 'com_1', '--json']],
      ['company create prints no table', ['company', 'create', '--name', 'a', '--columns', 'id']],
      ['--columns is for tables', ['key', 'list', '--company', 'com_1', '--columns', 'id', '--json']],
      ['--columns needs a value.', ['company', 'list', '--columns', '--utc']],
      ['stray', ['company', 'create', 'stray', '--name', 'a']],
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

  // decision: Shell completion
  it('is completed by bash: words and options of every command, also behind the values of options, and without settings', async () => {
    const { exitCode, stdout: script } = await result('completion', 'bash')
    expect(exitCode).to.equal(0)
    const typed = ['', 'wor', 'webhook ', ...COMMANDS.map(({ name }) => `${name} -`)]
    const behind = ['webhook list --company com_1 --e', '--json webhook list --env live --co', 'nonsense ']
    const lines = [...typed, ...behind].map((line) => {
      const words = line.split(' ')
      return `COMP_WORDS=(sales-data ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
        _complete_sales_data; echo "\${COMPREPLY[*]}"`
    })
    const bash = await execa('bash', ['--norc', '-c', [script, ...lines].join('\n')])
    const offered = bash.stdout.split('\n').map((line) => line.split(' ').toSorted())
    const nouns = (from: typeof COMMANDS, at: number) =>
      [...new Set(from.map(({ name }) => name.split(' ')[at]!))].toSorted()
    const ofWebhooks = COMMANDS.filter(({ name }) => name.startsWith('webhook '))
    const everywhere = ['--columns', '--help', '--json', '--utc', '--version']
    expect(offered).to.deep.equal([
      nouns(COMMANDS, 0),
      ['worker'],
      nouns(ofWebhooks, 1),
      ...COMMANDS.map(({ options }) =>
        [...Object.keys(options).map((name) => `--${name}`), ...everywhere].toSorted(),
      ),
      ['--env'],
      ['--columns', '--company'],
      nouns(COMMANDS, 0),
    ])
  })

  it('refuses a name for completion that would be more than a name in a script', async () => {
    const { exitCode, stderr, stdout } = await result('completion', 'bash', '--name', 'a; rm -rf /')
    expect([exitCode, stdout]).to.deep.equal([2, ''])
    expect(stderr).to.include('--name must be a command')
  })
})
