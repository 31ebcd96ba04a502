import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { UsageError } from '../../../src/cli/command.ts'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { parseCommandLine, wantsJson } from '../../../src/cli/parse.ts'
import { words } from '../../support/words.ts'
import { SCOPES } from '../../../src/domain/key/scopes.ts'

describe('the usage of the command line', () => {
  const helpOf = (...args: string[]): string => {
    const parsed = parseCommandLine(COMMANDS, args)
    if (parsed.kind !== 'help') throw new Error(`${args.join(' ')} asks for no help`)
    return parsed.text
  }

  it('shows the commands by group, those of one noun to who names only that, and its version', () => {
    const all = helpOf('--help')
    expect(all).to.match(/^API keys:\n {2}key create /m)
    for (const name of ['migrate', 'rollback', 'user remove', 'key rotate', 'event publish'])
      expect(all).to.include(name)
    const ofKeys = expect(() => parseCommandLine(COMMANDS, ['key'])).to.throw(UsageError)
    ofKeys.with.property('help').that.includes('key rotate').and.not.includes('event publish')
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(helpOf('--version')).to.equal(version)
  })

  it('describes the options of a command, and lists every scope where scopes are taken', () => {
    expect(helpOf('key', 'rotate', '--help'))
      .to.include('--grace <GRACE>')
      .and.include('1h, 6h, 24h, 48h or 7d')
    for (const command of ['create', 'update'])
      for (const scope of SCOPES) expect(helpOf('key', command, '--help')).to.include(`\n  ${scope} `)
  })

  it('takes options with or without a value before the command as well as behind it', () => {
    for (const at of [0, 2, 4]) {
      const args = words('key list --company com_1').toSpliced(at, 0, '--json')
      const parsed = parseCommandLine(COMMANDS, args)
      expect(parsed).to.have.nested.property('command.name', 'key list')
      expect(parsed).to.have.nested.property('values.company', 'com_1')
      expect(wantsJson(args), args.join(' ')).to.equal(true)
    }
    for (const args of ['--company com_1 key list', '--columns id key list --company com_1'])
      expect(parseCommandLine(COMMANDS, words(args))).to.have.nested.property('values.company', 'com_1')
    expect(helpOf('--help', 'key', 'rotate')).to.equal(helpOf('key', 'rotate', '--help'))
  })

  it('says in one sentence what is wrong with the arguments', () => {
    for (const [sentence, args] of [
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
    ] as const)
      expect(() => parseCommandLine(COMMANDS, args), args.join(' ')).to.throw(UsageError, sentence)
  })
})
